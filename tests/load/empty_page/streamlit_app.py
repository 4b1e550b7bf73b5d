"""The least a toggle can cost in Streamlit: one toggle, and one text that it changes."""

import streamlit as st

scaled = st.toggle("Scale", key="scale")
st.text("1.50" if scaled else "3.00")
