"""Handlers of puzzles and their leaderboards."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from discord import ui

from bot.domain.errors import Refusal, SetupError
from bot.domain.puzzle import Attempt, Status
from bot.i18n import Text
from bot.presentation import icons
from bot.presentation.puzzle_texts import Solution, answer_lines, share_line
from bot.ui.answers import acknowledge, edit_answer, edit_pressed, respond
from bot.ui.board import pictures_of
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    check_scope,
    location_text,
    own_look,
    own_text,
    person_of,
)
from bot.ui.layout import box, lines
from bot.ui.leaderboard_pages import turn_board
from bot.ui.move_choices import Picked
from bot.ui.puzzle.leaderboard_views import rating_view, standing_view, storm_view
from bot.ui.puzzle.routes import PuzzleStep
from bot.ui.puzzle.views import posed_view, puzzle_view, solve_button
from bot.ui.sharing import Shared, What, with_sharing
from engine.core import Move
from engine.games import GAMES
from engine.games.puzzle_themes import PuzzleTheme


async def open_puzzle(
    interaction: Interaction, game: str | None, grade: int | None, theme: PuzzleTheme | None = None
) -> None:
    """Answer with the person's open puzzle, or a new one; raises Refusal."""
    check_channel(interaction)
    service, person = interaction.client.services.puzzles, person_of(interaction)
    attempt = await service.play(person, interaction.guild_id, game, grade, theme)
    await respond(interaction, _view(interaction, attempt))


async def open_daily(interaction: Interaction, day: date | None = None) -> None:
    """Answer with the person's attempt at that day's puzzle, by default today's; raises Refusal.

    With a day, the press comes from the daily message in the channel that the server chose for it, so the
    server's limits on channels do not apply.
    """
    if day is None:
        check_channel(interaction)
    service = interaction.client.services.puzzles
    attempt = await service.daily(person_of(interaction), interaction.guild_id, day)
    await respond(interaction, await _ended_view(interaction, attempt))


async def answer(interaction: Interaction, attempt_id: int, turn: int, move: Move) -> None:
    """Judge the answer and show the result; raises Refusal."""
    service, t, look = interaction.client.services.puzzles, own_text(interaction), own_look(interaction)
    attempt = await service.attempt(attempt_id)
    attempt.check(interaction.user.id, turn, move)
    await interaction.client.services.allowed_help.check_attempt(person_of(interaction), attempt)
    await acknowledge(interaction)
    answered = await service.answer(attempt_id, person_of(interaction), turn, move)
    tries = await service.first_tries(answered.attempt.task.key)
    told = answer_lines(t, answered, tries, icons(attempt.task.game, look))
    await edit_answer(interaction, await _ended_view(interaction, answered.attempt, told))


async def pick(interaction: Interaction, attempt_id: int, _turn: int, picked: Picked) -> None:
    """Offer the next choices on the way to a move; raises Refusal."""
    attempt = await interaction.client.services.puzzles.attempt(attempt_id)
    attempt.check_owner(interaction.user.id)
    await edit_pressed(interaction, _view(interaction, attempt, picked=picked))


async def step(interaction: Interaction, attempt_id: int, wanted: PuzzleStep) -> None:
    """Start another try, show the solution, or pose the next puzzle; raises Refusal."""
    if wanted is PuzzleStep.AGAIN:
        service = interaction.client.services.puzzles
        attempt = await service.again(attempt_id, person_of(interaction))
        await edit_pressed(interaction, _view(interaction, attempt))
    elif wanted is PuzzleStep.SOLUTION:
        await _show_solution(interaction, attempt_id)
    else:
        await _show_next(interaction, attempt_id)


async def _show_solution(interaction: Interaction, attempt_id: int) -> None:
    """Show the best move in the position where the attempt failed."""
    service = interaction.client.services.puzzles
    before = await service.attempt(attempt_id)
    before.check_owner(interaction.user.id)
    before.before_the_fault()
    await interaction.client.services.allowed_help.check_attempt(person_of(interaction), before)
    await acknowledge(interaction)
    attempt, state, found = await service.solution(attempt_id, person_of(interaction))
    if found.best is None:
        raise ValueError(f"attempt {attempt_id} failed where there was no move")
    themes = await service.themes(attempt.task.key)
    solution = Solution(state, found.best, found.score, themes)
    await edit_answer(interaction, _view(interaction, attempt, solution=solution))


async def _show_next(interaction: Interaction, attempt_id: int) -> None:
    """Pose the next puzzle of the same game and theme."""
    service, person = interaction.client.services.puzzles, person_of(interaction)
    before = await service.attempt(attempt_id)
    before.check_owner(person.user_id)
    attempt = await service.play(person, interaction.guild_id, before.task.game, theme=before.theme)
    await edit_pressed(interaction, _view(interaction, attempt))


async def _ended_view(interaction: Interaction, attempt: Attempt, told: Sequence[str] = ()) -> ui.LayoutView:
    """Return the attempt, with the means to share it if it can be shared."""
    days = await interaction.client.services.puzzles.days_with(attempt)
    view = puzzle_view(attempt, own_text(interaction), own_look(interaction), told=told, days=days)
    return with_sharing(interaction, view, What.PUZZLE, attempt.id) if _is_to_share(attempt) else view


def _is_to_share(attempt: Attempt) -> bool:
    """Return whether it is solved, or was a try at a day's puzzle, whose result alone is shared."""
    return attempt.status is Status.SOLVED or (attempt.is_over and attempt.day is not None)


def _view(
    interaction: Interaction,
    attempt: Attempt,
    *,
    solution: Solution | None = None,
    picked: Picked | None = None,
) -> ui.LayoutView:
    return puzzle_view(
        attempt, own_text(interaction), own_look(interaction), solution=solution, picked=picked
    )


async def show_leaderboard(interaction: Interaction, guild_id: int | None) -> None:
    """Answer with the first page of the rating leaderboard, visible to the channel."""
    found = await interaction.client.services.puzzles.leaderboard(guild_id, 1, interaction.user.id)
    view = rating_view(found, location_text(interaction), interaction.user.id)
    await respond(interaction, view, is_private=False)


async def turn_leaderboard(interaction: Interaction, reader_id: int, guild_id: int | None, page: int) -> None:
    """Turn the page for the reader who asked for it; other people get their own copy. Raises SetupError."""
    check_scope(interaction, guild_id)
    user_id = interaction.user.id
    found = await interaction.client.services.puzzles.leaderboard(guild_id, page, user_id)
    await turn_board(interaction, reader_id, lambda t: rating_view(found, t, user_id))


async def show_storms(
    interaction: Interaction, guild_id: int | None, game: str | None, *, is_today: bool
) -> None:
    """Answer with the first page of the storms' leaderboard, visible to the channel."""
    service, user_id = interaction.client.services.courses, interaction.user.id
    found = await service.page(guild_id, game, user_id, is_today=is_today)
    await respond(interaction, storm_view(found, location_text(interaction), user_id), is_private=False)


async def turn_storms(
    interaction: Interaction,
    reader_id: int,
    guild_id: int | None,
    is_today: bool,
    page: int,
    game: str | None,
) -> None:
    """Turn the page for the reader who asked for it; other people get their own copy. Raises SetupError."""
    check_scope(interaction, guild_id)
    if game not in (None, *GAMES):
        raise SetupError("unknown_choice", choice=str(game))
    service, user_id = interaction.client.services.courses, interaction.user.id
    found = await service.page(guild_id, game, user_id, is_today=is_today, page=page)
    await turn_board(interaction, reader_id, lambda t: storm_view(found, t, user_id))


async def show_standing(interaction: Interaction) -> None:
    """Answer privately with the person's own standing."""
    services, user_id = interaction.client.services, interaction.user.id
    found = await services.puzzles.standing(user_id)
    bests = await services.courses.bests(user_id)
    await respond(interaction, standing_view(own_text(interaction), found, bests))


async def share_puzzle(interaction: Interaction, t: Text, attempt_id: int) -> Shared:
    """Return a puzzle to post without its solution, or the result of a day's puzzle; raises Refusal."""
    service = interaction.client.services.puzzles
    attempt = await service.attempt(attempt_id)
    attempt.check_owner(interaction.user.id)
    if not _is_to_share(attempt):
        raise Refusal("puzzle_share_early")
    if attempt.day is None:
        view = posed_view(attempt, t, own_look(interaction))
        return Shared(view, tuple(await pictures_of(view)))
    result = lines(share_line(t, attempt, await service.days_with(attempt)))
    return Shared(box(result), buttons=(solve_button(t, attempt.day),))
