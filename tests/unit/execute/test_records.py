"""What the records of a run say about the machine."""

from __future__ import annotations

import os
import platform
import sys

import pytest

from generator.execute import records


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have their own form")
def test_the_platform_is_named_as_python_names_it() -> None:
    assert records._platform() == platform.platform()


def test_a_system_that_does_not_name_its_c_library_has_a_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_name: str) -> str:
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr("os.confstr", unknown)
    system = os.uname()
    assert records._platform() == f"{system.sysname}-{system.release}-{system.machine}"
