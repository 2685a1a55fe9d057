"""A container environment for machines that reach no registry. Loaded by Harbor, in Harbor's own Python.

Harbor's usual way to keep a container off the network needs two images from a registry. This one has the engine give
the container no network at all, which is what a task without one asks for; it cannot open single hosts.
"""

from __future__ import annotations

from pathlib import Path

from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.environments.docker import COMPOSE_NO_NETWORK_PATH
from harbor.environments.docker.docker import DockerEnvironment
from harbor.models.task.config import NetworkMode


class OfflineDocker(DockerEnvironment):
    """Docker whose containers have either the engine's network or none."""

    @classmethod
    def _egress_control_kernel_support(cls) -> bool:
        return False  # asking would start a container from a registry

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return super().capabilities.model_copy(update={"disable_internet": True})

    @property
    def _docker_compose_paths(self) -> list[Path]:
        paths: list[Path] = super()._docker_compose_paths
        if self.network_policy.network_mode == NetworkMode.NO_NETWORK:
            paths.append(COMPOSE_NO_NETWORK_PATH)
        return paths
