"""An upgrade to a version that a run would have to build skips the test."""

import pytest

INNER = """
import pytest

@pytest.mark.requires("upgrade")
def test_of_another_minor(cluster):
    cluster.upgrade("{other}")

def test_after_it(pods, expect):
    expect(pods.create()).running()
"""


@pytest.mark.requires("upgrade")
def test_upgrade_is_skipped_with_the_option_that_builds_its_programs(pytester, schedtest_session, cluster):
    """The inner run has the programs of this run, and may download none."""
    minors = ("1.36", "1.35")
    other = next(each for each in minors if not cluster.version.startswith(f"v{each}."))
    pytester.makepyfile(INNER.format(other=other))
    binaries = [f"--bin={name}={binary.path}" for name, binary in schedtest_session.binaries.items()]
    result = pytester.runpytest_subprocess("--toolchain=build", "--toolchain-cache=empty", "-rs", *binaries)
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines([f"SKIPPED * the test upgrades to Kubernetes {other}, *: --upgrade-to={other}"])
