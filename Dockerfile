# The command line and the service in an image.
#   docker build -t tamis .
#   docker run --rm -i tamis extract - < page.html
#   docker run --rm -p 127.0.0.1:8000:8000 -e TAMIS_TOKEN=choose-one tamis serve --host 0.0.0.0 --allow-host localhost
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev
COPY . /src
RUN pip wheel --no-cache-dir --wheel-dir /wheels '/src[corpus,crawl,server]'

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'tamis[corpus,crawl,server]'
RUN useradd --create-home tamis
USER tamis
WORKDIR /home/tamis
EXPOSE 8000
ENTRYPOINT ["tamis"]
CMD ["--help"]
