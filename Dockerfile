# A server on a CPU. Models and audit files lie in volumes, see compose.yaml:
#
#     docker build -t steelyard .
#     docker run --rm -v models:/models steelyard pull mini
#     docker run --rm -v models:/models -p 127.0.0.1:8000:8000 -e STEELYARD_API_KEYS steelyard

FROM python:3.12-slim AS build
# Where packages come from, if not from where pip looks by itself: --build-arg PIP_INDEX_URL=...
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PATH=/opt/steelyard/bin:$PATH
# In a layer of its own, because it is most of the image and seldom another one.
RUN python -m venv /opt/steelyard && pip install torch==2.13.0
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
# It is this folder, and no release of a version:
# hadolint ignore=DL3013
RUN pip install '.[server,torch]'

FROM python:3.12-slim
RUN useradd --uid 10001 --no-log-init --create-home steelyard \
    && install -d -o steelyard -g steelyard /models /data
COPY --from=build /opt/steelyard /opt/steelyard
ENV PATH=/opt/steelyard/bin:$PATH STEELYARD_HOME=/models PYTHONUNBUFFERED=1
# By number, which an orchestrator can tell from root without the image's list of users.
USER 10001
WORKDIR /data
VOLUME ["/models", "/data"]
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["steelyard"]
# Reached from other machines, it starts with keys only: STEELYARD_API_KEYS, or --api-key-file.
CMD ["serve", "--host", "0.0.0.0", "--model", "mini"]
