"""Handlers of boards and invitations: an action of a service, then the answer to the press."""

from __future__ import annotations

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, SetupError
from bot.domain.match import CoachChoice, Match, Pace
from bot.domain.panel_choices import Mode
from bot.domain.terms import Fair, First, Terms
from bot.presentation import status, vote_texts
from bot.services.checked_terms import CLOCKS, checked_game
from bot.ui.answers import edit_pressed, promise, reply, respond
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    check_may_start,
    check_not_older,
    find_user,
    has_web,
    is_private,
    is_reachable,
    location_of,
    own_text,
    person_of,
)
from bot.ui.error_replies import report_error
from bot.ui.inviting import invite
from bot.ui.last_choices import chosen_mode
from bot.ui.layout import box, lines
from bot.ui.match import moderation
from bot.ui.match import table_handlers as tables
from bot.ui.match.hint import give_hint
from bot.ui.match.routes import FORM_BOARD, FORM_CLOCK, FORM_FIRST, FORM_START, Action
from bot.ui.match.views import more_view, play_link_view, shared_view, watch_view
from bot.ui.move_choices import Picked
from bot.ui.permissions import is_moderator, is_public
from bot.ui.rate_question import ask_to_rate
from bot.ui.routing import filled_in
from engine.core import Move

OUTDATED = frozenset({"stale", "time_is_up", "match_over"})
"""Refusals that mean that the pressed board is outdated."""

COACH_CHOICES = {
    Action.TAKE_BACK: CoachChoice.BACK,
    Action.PLAY_ON: CoachChoice.ON,
    Action.PLAY_BETTER: CoachChoice.INSTEAD,
}

OF_BOARD = frozenset({"stale", "match_over"})
"""Refusals that say what the board shows."""


async def play(interaction: Interaction, match_id: int, turn: int, move: Move) -> None:
    """Play the move and answer with the board."""
    await pressed_match(interaction, match_id)
    try:
        match = await interaction.client.services.playing.play(
            match_id, person_of(interaction), move, turn=turn
        )
    except MatchError as refusal:
        await refuse(interaction, match_id, refusal)
    else:
        shown = await interaction.client.display.answer(interaction, match)
        if match.is_coached:
            await interaction.client.coach.advise(interaction, match)
        if shown.is_over:
            await ask_to_rate(interaction, shown)


async def pressed_match(interaction: Interaction, match_id: int) -> Match:
    """Return the match as this process knows it; raises Refusal where the message is older than the match."""
    match = await interaction.client.services.changes.latest(match_id)
    check_not_older(interaction, match.created_at, match.location.message_id)
    return match


async def pick(interaction: Interaction, match_id: int, turn: int, picked: Picked) -> None:
    """Offer the next choices on the way to a move, on the board."""
    await pressed_match(interaction, match_id)
    try:
        match = await interaction.client.services.matches.to_move(match_id, person_of(interaction), turn=turn)
        await interaction.client.display.offer_next(interaction, match, picked)
    except MatchError as refusal:
        await refuse(interaction, match_id, refusal)


async def act(interaction: Interaction, match_id: int, turn: int, action: Action) -> None:
    """Do what any other button of a board says."""
    services, display = interaction.client.services, interaction.client.display
    await pressed_match(interaction, match_id)
    try:
        if action is Action.RESIGN:
            await display.ask_to_resign(
                interaction, await services.matches.mine(match_id, interaction.user.id)
            )
        elif action is Action.HINT:
            await give_hint(interaction, await services.matches.mine(match_id, interaction.user.id))
        elif action is Action.MORE:
            match = await services.matches.match(match_id)
            can_mirror = not match.is_over and is_public(interaction.client, match.location)
            if not match.is_over and not match.players_of(interaction.user.id):
                is_home = match.is_played_in(interaction.guild_id)
                may_end = interaction.channel_id == match.location.channel_id and is_moderator(interaction)
                can_mirror = can_mirror and is_home and not match.is_voted
                is_starter = match.is_voted and match.begun_by == interaction.user.id
                if may_end or can_mirror or match.is_voted:
                    t = own_text(interaction)
                    view = watch_view(match, t, can_mirror=can_mirror, may_end=may_end, is_starter=is_starter)
                    await respond(interaction, view)
                    return
            match.check_running(interaction.user.id)
            await respond(
                interaction,
                more_view(
                    match,
                    own_text(interaction),
                    can_share=has_web(interaction, match),
                    has_web=services.web.url is not None,
                    has_activity=services.web.has_activity,
                    can_mirror=can_mirror,
                ),
            )
        elif action is Action.WEB:
            address = await services.web.share(match_id, person_of(interaction))
            match = await services.matches.latest(match_id)
            await respond(interaction, shared_view(match, own_text(interaction), address))
        elif action is Action.WEB_STOP:
            await services.web.withdraw(match_id, person_of(interaction))
            await interaction.response.edit_message(view=box(lines(own_text(interaction)("web_withdrawn"))))
        elif action is Action.WEB_PLAY:
            address = await services.web.play_link(match_id, person_of(interaction))
            match = await services.matches.latest(match_id)
            await respond(interaction, play_link_view(match, own_text(interaction), address))
        elif action is Action.WEB_END:
            await services.web.end_sessions(match_id, person_of(interaction))
            await interaction.response.edit_message(view=box(lines(own_text(interaction)("web_ended"))))
        elif action in (Action.COACH, Action.SHOW_BETTER):
            await interaction.client.coach.show(
                interaction, match_id, with_better=action is Action.SHOW_BETTER
            )
        elif action in COACH_CHOICES:
            await interaction.client.coach.choose(interaction, match_id, turn, COACH_CHOICES[action])
        elif action is Action.OPEN:
            await interaction.response.launch_activity()
        elif action is Action.RESIGN_NOW:
            await _resign(interaction, match_id)
        elif action is Action.STAY:
            match, t = await services.matches.match(match_id), own_text(interaction)
            view = box(lines(t("you_stay", game=status.title(t, match))))
            await (edit_pressed if is_private(interaction) else respond)(interaction, view)
        elif action is Action.REMATCH:
            await _rematch(interaction, match_id)
        elif action is Action.NEVER_MEET:
            is_on = await services.lobby.turn_away(match_id, person_of(interaction))
            await reply(interaction, own_text(interaction)("never_meet_on" if is_on else "never_meet_off"))
        elif action is Action.REPORT_NAME:
            await tables.report_player(interaction, await services.matches.match(match_id))
        elif action is Action.STOP:
            await _stop(interaction, match_id)
        elif action is Action.MY_VOTES:
            match, t = await services.matches.match(match_id), own_text(interaction)
            await services.allowed_help.check_reviewed(match, person_of(interaction))
            await promise(interaction, is_private=True)
            own = await services.vote_scores.own(match, interaction.user.id)
            await respond(interaction, box(lines(*vote_texts.own(t, match, own))))
        elif action is Action.END_VOTE:
            await services.votes.end(match_id, person_of(interaction))
            await edit_pressed(interaction, box(lines(own_text(interaction)("vote_ended"))))
        elif action is Action.BRING_BACK:
            match = await services.matches.mine(match_id, interaction.user.id)
            t, shown = own_text(interaction), await display.bring_back(match)
            line = shown.line(t, "you_brought_back", game=status.title(t, match))
            await edit_pressed(interaction, box(lines(shown.linked(t, line))))
        elif action in moderation.ENDING:
            await moderation.press(interaction, match_id, action)
        elif action is Action.WATCH_AGAIN:
            await _watch_again(interaction, match_id)
        # The menu, unlike the board, shows no position, so its answer is a line; the offer is the same.
        elif action is Action.DRAW and is_private(interaction):
            await _offer_draw(interaction, match_id)
        else:
            changed = await change(interaction, match_id, action, turn=turn)
            await display.answer(interaction, changed)
            await ask_to_rate(interaction, changed)
    except MatchError as refusal:
        await refuse(interaction, match_id, refusal)


async def change(
    interaction: Interaction, match_id: int, action: Action, *, turn: int | None = None
) -> Match:
    """Store a draw offer, an undo request, an answer to one, or a swap of sides; display nothing yet.

    turn: of the board that the person sees, if they see one.
    """
    services, person = interaction.client.services, person_of(interaction)
    if action is Action.DRAW:
        return await services.playing.offer_draw(match_id, person, turn=turn)
    if action in (Action.DRAW_YES, Action.DRAW_NO):
        return await services.playing.answer_draw(match_id, person, action is Action.DRAW_YES, turn=turn)
    if action is Action.SWAP:
        return await services.playing.swap(match_id, person, turn=turn)
    if action is Action.UNDO:
        return await services.playing.ask_undo(match_id, person, turn=turn)
    return await services.playing.answer_undo(match_id, person, action is Action.UNDO_YES, turn=turn)


async def _offer_draw(interaction: Interaction, match_id: int) -> None:
    """Offer a draw from the private menu, which shows no position."""
    match, t = await change(interaction, match_id, Action.DRAW), own_text(interaction)
    await interaction.client.display.answer_privately(
        interaction, match, lambda shown: shown.line(t, "you_draw_offer")
    )


async def _resign(interaction: Interaction, match_id: int) -> None:
    match = await interaction.client.services.playing.resign(match_id, person_of(interaction))
    t = own_text(interaction)
    await interaction.client.display.answer_privately(
        interaction, match, lambda shown: shown.line(t, "you_resigned", game=status.title(t, match))
    )


async def _rematch(interaction: Interaction, match_id: int) -> None:
    """Start the next match against an agent; invite a person, or accept their invitation."""
    check_channel(interaction)
    old = await interaction.client.services.matches.latest(match_id)
    if old.is_between:
        await tables.rematch(interaction, match_id)
        return
    following = await interaction.client.services.starting.rematch(
        match_id, person_of(interaction), location_of(interaction)
    )
    if isinstance(following, Challenge):
        await interaction.client.display.post_challenge(interaction, following)
    else:
        await interaction.client.display.post(interaction, following)
    # Its end may have come without a press of theirs: by the bot's move, or by the clock.
    await ask_to_rate(interaction, old)


async def _stop(interaction: Interaction, match_id: int) -> None:
    """Stop a match between agents, as the person who began it or a moderator of its channel."""
    services = interaction.client.services
    match = await services.matches.latest(match_id)
    if match.begun_by != interaction.user.id and is_moderator(interaction):
        await moderation.end(interaction, match_id)
        return
    stopped = await services.playing.stop(match_id, person_of(interaction))
    if is_private(interaction):  # the menu of a match by votes
        said = own_text(interaction)("drawn_stopped")
        await interaction.client.display.answer_privately(interaction, stopped, lambda _shown: said)
        return
    await interaction.client.display.answer(interaction, stopped)


async def _watch_again(interaction: Interaction, match_id: int) -> None:
    """Start another match between the same two agents, with sides swapped."""
    check_channel(interaction)
    check_may_start(interaction)
    following = await interaction.client.services.starting.watch_again(
        match_id, person_of(interaction), location_of(interaction)
    )
    await interaction.client.display.post(interaction, following)


async def set_pace(interaction: Interaction, match_id: int, pace: Pace) -> None:
    """Change the speed of a match between agents."""
    await pressed_match(interaction, match_id)
    try:
        match = await interaction.client.services.playing.set_pace(match_id, person_of(interaction), pace)
    except MatchError as refusal:
        await refuse(interaction, match_id, refusal)
    else:
        await interaction.client.display.answer(interaction, match)


async def answer_challenge(interaction: Interaction, challenge_id: int, accept: bool) -> None:
    """Decline the invitation, or accept it and turn its message into the board."""
    services, display = interaction.client.services, interaction.client.display
    challenge = await services.challenges.find(challenge_id)
    check_not_older(interaction, challenge.created_at, challenge.location.message_id)
    if not accept:
        declined = await services.challenges.decline(challenge_id, person_of(interaction))
        if is_private(interaction):  # the challenger's own message about an open table
            await edit_pressed(interaction, box(lines(own_text(interaction)("table_closed"))))
            return
        await display.answer_challenge(interaction, declined)
        return
    await display.answer_with_board(interaction, await _accepted(interaction, challenge_id))


async def _accepted(interaction: Interaction, challenge_id: int) -> Match:
    """Return the match of the invitation, also if it was accepted before and its board never displayed."""
    services = interaction.client.services
    try:
        return (await services.challenges.accept(challenge_id, person_of(interaction)))[1]
    except MatchError:
        challenge = await services.challenges.find(challenge_id)
        match = None if challenge.match_id is None else await services.matches.match(challenge.match_id)
        if (
            match is None
            or match.location.message_id is not None
            or not match.players_of(interaction.user.id)
        ):
            raise
        return match


async def send_challenge(interaction: Interaction, opponent_id: int) -> None:
    """Send the invitation of a form that was filled in; raises Refusal."""
    answers = filled_in(interaction)
    game, _, board = answers.get(FORM_BOARD, "").partition(" ")
    first, clock = answers.get(FORM_FIRST, "–"), answers.get(FORM_CLOCK, "–")
    start = answers.get(FORM_START, Fair.USUAL)
    for value, allowed in ((first, set(First)), (clock, {"0", *map(str, CLOCKS)}), (start, set(Fair))):
        if value not in allowed:
            raise SetupError("unknown_choice", choice=value)
    mode = chosen_mode(interaction)
    terms = Terms(checked_game(game).key, board, First(first), mode is Mode.RATED, int(clock), Fair(start))
    await invite(interaction, await find_user(interaction, opponent_id), terms)


async def as_shown(interaction: Interaction, match_id: int, refusal: MatchError) -> MatchError:
    """Return the refusal, in words that claim no more of the board than it shows.

    Where only interactions can edit the board, it is drawn first.
    """
    if refusal.key not in OF_BOARD or is_reachable(interaction):
        return refusal
    match = await interaction.client.services.matches.match(match_id)
    _, shown = await interaction.client.display.show_to(interaction, match)
    return refusal if shown.on is not None else MatchError(f"{refusal.key}_not_yet", **refusal.params)


async def refuse(interaction: Interaction, match_id: int, refusal: MatchError) -> None:
    """Report the refusal; where it means an outdated board, bring the board up to date afterwards."""
    if refusal.key not in OUTDATED:
        raise refusal
    if not is_reachable(interaction):
        raise await as_shown(interaction, match_id, refusal)
    await report_error(interaction, refusal, f"match {match_id}")
    latest = await interaction.client.services.matches.latest(match_id)
    await interaction.client.display.refresh(interaction, latest)
