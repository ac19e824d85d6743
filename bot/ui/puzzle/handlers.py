"""What each press and command of puzzles does: one action of the service, shown to that person alone."""

from __future__ import annotations

from datetime import date
from functools import partial

from discord import ui

from bot.domain.puzzle import Attempt, Kind, Status
from bot.services.command_costs import Cost
from bot.ui.answers import edit_answer, edit_pressed, promise, respond
from bot.ui.client import Interaction
from bot.ui.context import check_channel, own_look, own_text, person_of, spend
from bot.ui.moves import press_select
from bot.ui.puzzle.routes import Step
from bot.ui.puzzle.views import Solution, answer_lines, puzzle_view
from bot.ui.share_button import What, with_sharing
from engine.core import Move, states_of
from engine.games import game as game_of
from engine.games.puzzle_themes import PuzzleTheme


async def open_puzzle(
    interaction: Interaction, game: str | None, grade: int | None, theme: PuzzleTheme | None = None
) -> None:
    """Answers with the puzzle that waits for the person, or a new one; raises Refusal."""
    check_channel(interaction)
    service, person = interaction.client.services.puzzles, person_of(interaction)
    await _open(interaction, await service.play(person, interaction.guild_id, game, grade, theme))


async def open_daily(interaction: Interaction, day: date | None = None) -> None:
    """Answers with the person's try at that day's puzzle, today's without a day; raises Refusal.

    A day is that of a message that stands where the server wanted it, whatever its other channels are for.
    """
    if day is None:
        check_channel(interaction)
    await _open(
        interaction,
        await interaction.client.services.puzzles.daily(person_of(interaction), interaction.guild_id, day),
    )


async def open_own(interaction: Interaction) -> None:
    """Answers with a puzzle from the person's own matches, which are looked through first; raises Refusal."""
    check_channel(interaction)
    spend(interaction, Cost.REVIEW)
    await promise(interaction, is_private=True)
    attempt = await interaction.client.services.puzzles.own(person_of(interaction), interaction.guild_id)
    await _check_fair(interaction, attempt)
    await edit_answer(interaction, _view(interaction, attempt))


async def answer(interaction: Interaction, attempt_id: int, turn: int, move: Move) -> None:
    """Checks the answer and shows what it led to; raises Refusal."""
    service, t, look = interaction.client.services.puzzles, own_text(interaction), own_look(interaction)
    attempt = await service.attempt(attempt_id)
    attempt.check(interaction.user.id, turn, move)
    await _check_fair(interaction, attempt)
    await interaction.response.defer()
    answered = await service.answer(attempt_id, person_of(interaction), turn, move)
    tries = await service.first_tries(answered.attempt.task.key)
    told = answer_lines(t, answered, tries, look)
    view = puzzle_view(answered.attempt, t, look, told=told)
    if answered.attempt.status is Status.SOLVED:
        view = with_sharing(interaction, view, What.PUZZLE, attempt_id)
    await edit_answer(interaction, view)


async def select(interaction: Interaction, attempt_id: int, turn: int, page: int) -> None:
    """One of the page's moves as the answer, or the next page; raises Refusal."""
    turn_page = partial(turn_select, interaction, attempt_id)
    await press_select(interaction, page, partial(answer, interaction, attempt_id, turn), turn_page)


async def pick_column(interaction: Interaction, attempt_id: int, turn: int, column: int) -> None:  # noqa: ARG001
    """The squares of a column, or all columns; the turn counts once a square is chosen. Raises Refusal."""
    await turn_select(interaction, attempt_id, column)


async def step(interaction: Interaction, attempt_id: int, wanted: Step) -> None:
    """Another try, the solution, or the next puzzle; raises Refusal."""
    act = {Step.AGAIN: again, Step.SOLUTION: show_solution, Step.NEXT: show_next}[wanted]
    await act(interaction, attempt_id)


async def turn_select(interaction: Interaction, attempt_id: int, page: int) -> None:
    """Offers other squares of the same position; raises Refusal."""
    attempt = await interaction.client.services.puzzles.attempt(attempt_id)
    attempt.check_owner(interaction.user.id)
    await edit_pressed(interaction, _view(interaction, attempt, page=page))


async def again(interaction: Interaction, attempt_id: int) -> None:
    """The same position once more; raises Refusal."""
    await _turn(
        interaction, await interaction.client.services.puzzles.again(attempt_id, person_of(interaction))
    )


async def show_solution(interaction: Interaction, attempt_id: int) -> None:
    """The right move where the attempt went wrong; raises Refusal."""
    service = interaction.client.services.puzzles
    before = await service.attempt(attempt_id)
    before.check_owner(interaction.user.id)
    before.before_the_fault()
    await _check_fair(interaction, before)
    await interaction.response.defer()
    attempt, state, found = await service.solution(attempt_id, person_of(interaction))
    if found.best is None:
        raise ValueError(f"attempt {attempt_id} failed where there was no move")
    themes = await service.themes(attempt.task.key)
    solution = Solution(state, found.best, found.score, themes)
    await edit_answer(interaction, _view(interaction, attempt, solution=solution))


async def show_next(interaction: Interaction, attempt_id: int) -> None:
    """The next puzzle of the same game and theme, or from the person's own matches; raises Refusal."""
    service, person = interaction.client.services.puzzles, person_of(interaction)
    before = await service.attempt(attempt_id)
    before.check_owner(person.user_id)
    if before.kind is Kind.OWN:
        spend(interaction, Cost.REVIEW)
        await interaction.response.defer()
        attempt = await service.own(person, interaction.guild_id)
        await _check_fair(interaction, attempt)
        await edit_answer(interaction, _view(interaction, attempt))
    else:
        found = await service.play(person, interaction.guild_id, before.task.game, theme=before.theme)
        await _turn(interaction, found)


async def _check_fair(interaction: Interaction, attempt: Attempt) -> None:
    """Refuses to tell anything of a position that the person has in a rated match; raises MatchError.

    One's own puzzle may have been made before the same moves were made again.
    """
    task = attempt.task
    states = states_of(game_of(task.game).start(task.board), task.line + attempt.moves)
    await interaction.client.services.matches.check_fair(
        person_of(interaction), task.game, task.board, states
    )


async def _open(interaction: Interaction, attempt: Attempt) -> None:
    await respond(interaction, _view(interaction, attempt))


def _view(
    interaction: Interaction, attempt: Attempt, *, solution: Solution | None = None, page: int = 0
) -> ui.LayoutView:
    return puzzle_view(attempt, own_text(interaction), own_look(interaction), solution=solution, page=page)


async def _turn(interaction: Interaction, attempt: Attempt) -> None:
    await edit_pressed(interaction, _view(interaction, attempt))
