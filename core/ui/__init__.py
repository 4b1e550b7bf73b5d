"""The rooms that draw on the screen, and the only ones in core that import streamlit."""
