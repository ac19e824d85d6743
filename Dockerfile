# Discade as a container: docker compose up --build (docs/hosting.md).
# Two stages, so that nothing of the building remains; neither has the simulator or its video codecs.

FROM python:3.13.15-slim-trixie AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/discade
WORKDIR /src
# requirements-large.lock (docker compose build --build-arg LOCK=requirements-large.lock) adds what PostgreSQL and
# other machines that search need: asyncpg and Dask.
ARG LOCK=requirements.lock
COPY requirements.lock requirements-large.lock ./
RUN /opt/discade/bin/pip install --require-hashes --only-binary :all: -r $LOCK
COPY pyproject.toml README.md LICENSE ./
COPY tools/wheel_page.py tools/
COPY engine engine
COPY bot bot
RUN /opt/discade/bin/pip install --no-deps .
# Agents' inner loops are compiled here, so that the first answer is quick. The code is for this processor; on
# another kind the bot compiles it again at its start.
ENV NUMBA_CACHE_DIR=/opt/kernels
WORKDIR /
RUN /opt/discade/bin/python -m engine.agents

FROM python:3.13.15-slim-trixie AS bot
# FriBiDi joins Persian letters in pictures. Debian keeps only its newest version, so none is pinned.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends libfribidi0 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin discade \
 && install -d -o discade -g discade -m 0700 /data
COPY --from=build /opt/discade /opt/discade
COPY --from=build --chown=discade:discade /opt/kernels /opt/kernels
ENV PATH=/opt/discade/bin:$PATH \
    NUMBA_CACHE_DIR=/opt/kernels \
    PYTHONUNBUFFERED=1 \
    DATABASE_URL=sqlite+aiosqlite:////data/discade.db \
    DISCADE_HEALTH_PORT=8080
# By its number, since Kubernetes trusts no name to be an unprivileged user's.
USER 10001
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGTERM
# With an empty port there is no page to look at. The page is on this machine, so no proxy of the host's settings is asked.
HEALTHCHECK --interval=30s --timeout=10s --start-period=2m --retries=3 \
  CMD ["python", "-c", "import os, urllib.request as u; port = os.environ['DISCADE_HEALTH_PORT']; port and u.build_opener(u.ProxyHandler({})).open('http://127.0.0.1:' + port + '/healthz', timeout=8)"]
ENTRYPOINT ["discade"]
CMD ["run"]

# For platforms whose volumes belong to root (deploy/fly.toml): /data is given to the bot's user, who then runs it.
FROM bot AS volume-of-root
# hadolint ignore=DL3002
USER 0
ENV HOME=/data
ENTRYPOINT ["/bin/sh", "-c", "chown -R 10001:10001 /data && exec setpriv --reuid 10001 --regid 10001 --clear-groups discade \"$@\"", "discade"]
CMD ["run"]

# The one that is built where none is named.
FROM bot
