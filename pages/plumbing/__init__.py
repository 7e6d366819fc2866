"""What pages share, and the only place that speaks to Streamlit and to the core for all of them."""
