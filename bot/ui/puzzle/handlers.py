"""What each press and command of puzzles does: one action of the service, shown to that person alone."""

from __future__ import annotations

from datetime import date

from bot.domain.puzzle import Attempt, Kind
from bot.ui.context import Press, check_channel, own_look, own_text, person_of
from bot.ui.puzzle.views import Solution, answer_lines, puzzle_view
from engine.core import Move


async def open_puzzle(press: Press, game: str | None, grade: int | None) -> None:
    """Answers with the puzzle that waits for the person, or a new one; raises Refusal."""
    check_channel(press)
    await _open(press, await press.client.puzzles.play(person_of(press), press.guild_id, game, grade))


async def open_daily(press: Press, day: date | None = None) -> None:
    """Answers with the person's try at that day's puzzle, today's without a day; raises Refusal.

    A day is that of a message that stands where the server wanted it, whatever its other channels are for.
    """
    if day is None:
        check_channel(press)
    await _open(press, await press.client.puzzles.daily(person_of(press), press.guild_id, day))


async def open_own(press: Press) -> None:
    """Answers with a puzzle from the person's own matches, which are looked through first; raises Refusal."""
    check_channel(press)
    await press.response.defer(ephemeral=True, thinking=True)
    attempt = await press.client.puzzles.own(person_of(press), press.guild_id)
    await press.edit_original_response(view=puzzle_view(attempt, own_text(press), own_look(press)))


async def answer(press: Press, attempt_id: int, turn: int, move: Move) -> None:
    """Checks the answer and shows what it led to; raises Refusal."""
    service, t, look = press.client.puzzles, own_text(press), own_look(press)
    (await service.attempt(attempt_id)).check(press.user.id, turn, move)
    await press.response.defer()
    answered = await service.answer(attempt_id, person_of(press), turn, move)
    tries = await service.first_tries(answered.attempt.task.key)
    told = answer_lines(t, answered, tries, look.theme)
    await press.edit_original_response(view=puzzle_view(answered.attempt, t, look, told=told))


async def turn_select(press: Press, attempt_id: int, page: int) -> None:
    """Offers other squares of the same position; raises Refusal."""
    attempt = await press.client.puzzles.attempt(attempt_id)
    attempt.check_owner(press.user.id)
    await press.response.edit_message(view=puzzle_view(attempt, own_text(press), own_look(press), page=page))


async def again(press: Press, attempt_id: int) -> None:
    """The same position once more; raises Refusal."""
    await _turn(press, await press.client.puzzles.again(attempt_id, person_of(press)))


async def show_solution(press: Press, attempt_id: int) -> None:
    """The right move where the attempt went wrong; raises Refusal."""
    service = press.client.puzzles
    before = await service.attempt(attempt_id)
    before.check_owner(press.user.id)
    before.before_the_fault()
    await press.response.defer()
    attempt, state, found = await service.solution(attempt_id, person_of(press))
    if found.best is None:
        raise ValueError(f"attempt {attempt_id} failed where there was no move")
    solution = Solution(state, found.best, found.worth)
    await press.edit_original_response(
        view=puzzle_view(attempt, own_text(press), own_look(press), solution=solution)
    )


async def show_next(press: Press, attempt_id: int) -> None:
    """The next puzzle of the same game, or from the person's own matches; raises Refusal."""
    service, person = press.client.puzzles, person_of(press)
    before = await service.attempt(attempt_id)
    before.check_owner(person.user_id)
    if before.kind is Kind.OWN:
        await press.response.defer()
        view = puzzle_view(await service.own(person, press.guild_id), own_text(press), own_look(press))
        await press.edit_original_response(view=view)
    else:
        await _turn(press, await service.play(person, press.guild_id, before.task.game))


async def _open(press: Press, attempt: Attempt) -> None:
    await press.response.send_message(
        view=puzzle_view(attempt, own_text(press), own_look(press)), ephemeral=True
    )


async def _turn(press: Press, attempt: Attempt) -> None:
    await press.response.edit_message(view=puzzle_view(attempt, own_text(press), own_look(press)))
