"""The server's settings are those for the public, whatever Streamlit's own defaults become."""

import tomllib
from pathlib import Path

from streamlit import config

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))
FOR_THE_PUBLIC = {
    ("client", "showErrorDetails"): "none",
    ("client", "toolbarMode"): "minimal",
    ("server", "maxUploadSize"): 1,
    ("server", "maxMessageSize"): 20,
    ("server", "enableXsrfProtection"): True,
    ("server", "enableCORS"): True,
    ("server", "enableStaticServing"): False,
    ("server", "enableAgentApi"): False,
    ("browser", "gatherUsageStats"): False,
}


def test_the_settings_are_those_for_the_public():
    found = {(section, name): CONFIG[section].get(name) for section, name in FOR_THE_PUBLIC}
    assert found == FOR_THE_PUBLIC


def test_streamlit_knows_every_setting():
    known = set(config.get_config_options(force_reparse=True))
    named = {
        f"{section}.{name}" for section, values in CONFIG.items() for name in values if section != "theme"
    }
    assert named <= known
