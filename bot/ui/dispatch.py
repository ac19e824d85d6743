"""The table of all routes of the bot, each with its handler."""

from __future__ import annotations

from bot.ui import nudge, play_here, rate_question
from bot.ui.match import handlers as match
from bot.ui.match import hint, mirror_handlers, predictions, table_handlers, voting
from bot.ui.match import routes as on_match
from bot.ui.panel import handlers as start
from bot.ui.panel import routes as on_start
from bot.ui.people import handlers as people
from bot.ui.people import routes as on_people
from bot.ui.puzzle import course_handlers as courses
from bot.ui.puzzle import handlers as puzzle
from bot.ui.puzzle import mistakes
from bot.ui.puzzle import routes as on_puzzle
from bot.ui.reminders import REMIND, set_reminder
from bot.ui.review import handlers as review
from bot.ui.review import import_handlers as imported
from bot.ui.review import routes as on_review
from bot.ui.routing import Router
from bot.ui.settings import handlers as settings
from bot.ui.settings import routes as on_settings
from bot.ui.sharing import SHARE, What, sharing
from bot.ui.tournament import handlers as tournament
from bot.ui.tournament import routes as on_tournament

SHARERS = {
    What.REVIEW: review.share_review,
    What.REPLAY: review.share_replay,
    What.PROFILE: people.share_profile,
    What.PUZZLE: puzzle.share_puzzle,
    What.COURSE: courses.share_course,
    What.AWARDS: people.share_achievements,
}
"""How the message to post is made, for each kind of shared content."""

ROUTER = Router(
    play_here.OPEN.to(start.open_panel),
    play_here.HERE.to(start.open_panel),
    on_start.PANEL.to(start.press),
    on_start.MAKE_RATED.to(start.make_rated),
    rate_question.RATE_NEXT.to(rate_question.answer),
    on_start.LARGE_BOARDS.to(start.enlarge_boards),
    play_here.TODAY.to(puzzle.open_daily),
    play_here.COMMANDS.to(start.show_commands),
    on_start.RULES.to(start.choose_rules),
    *on_match.PLAY.to(match.play, match.pick),
    *on_match.VOTE.to(voting.vote, voting.pick),
    on_match.ACTION.to(match.act),
    on_match.MIRROR.to(mirror_handlers.choose_channel),
    on_match.PACE.to(match.set_pace),
    on_match.PLAY_HINT.to(hint.play_hint),
    on_match.HINT_WORTH.to(hint.show_worth),
    on_match.PREDICT.to(predictions.guess),
    on_puzzle.TRAIN.to(mistakes.train_match),
    *on_puzzle.MISTAKE_ANSWER.to(mistakes.answer, mistakes.pick),
    on_puzzle.MISTAKE_STEP.to(mistakes.step),
    nudge.MISTAKES.to(mistakes.open_mistakes),
    nudge.NUDGE.to(nudge.choose),
    on_match.CHALLENGE.to(match.answer_challenge),
    on_match.TABLE.to(table_handlers.press_table),
    on_match.CHALLENGE_FORM.to(match.send_challenge),
    on_review.REVIEW.to(review.press_review),
    on_review.REVIEW_STEP.to(review.press_review_step),
    on_review.REPLAY.to(review.press_replay),
    on_review.REPLAY_STEP.to(review.press_replay_step),
    on_review.PLAY_FROM.to(review.press_play_from),
    on_review.IMPORT_FORM.to(imported.read_form),
    on_review.IMPORT_GAME.to(imported.choose),
    on_review.IMPORT_NUMBER.to(imported.choose),
    *on_puzzle.ANSWER.to(puzzle.answer, puzzle.pick),
    on_puzzle.STEP.to(puzzle.step),
    on_puzzle.DAY.to(puzzle.open_daily),
    *on_puzzle.COURSE_ANSWER.to(courses.answer, courses.pick),
    on_puzzle.COURSE_STEP.to(courses.step),
    on_puzzle.COURSE_MISSED.to(courses.show_missed),
    on_puzzle.RATING_PAGE.to(puzzle.turn_leaderboard),
    on_puzzle.STORM_PAGE.to(puzzle.turn_storms),
    on_tournament.ACTION.to(tournament.act),
    on_tournament.AGENTS.to(tournament.choose_agents),
    on_tournament.ENTRANTS.to(tournament.remove_entrant),
    on_people.PAGE.to(people.press_page),
    on_people.GUESSERS.to(people.turn_guessers),
    on_people.SEASONS.to(people.choose_season),
    on_people.AWARDS.to(people.press_achievements),
    REMIND.to(set_reminder),
    SHARE.to(sharing(SHARERS)),
    on_settings.PREFERENCES.to(settings.show_preferences),
    on_settings.WISH.to(settings.wish),
    on_settings.GROUP.to(settings.open_group),
    on_settings.DECISION.to(settings.decide),
    on_settings.CHANNELS.to(settings.choose_channels),
    on_settings.ROLE.to(settings.choose_role),
    on_settings.SWITCH.to(settings.switch),
    on_settings.MY_DATA.to(settings.press_my_data),
    on_settings.DELETION.to(settings.answer_deletion),
)
