# The command line in an image: docker build -t tamis . && docker run --rm -i tamis extract - < page.html
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev
COPY . /src
RUN pip wheel --no-cache-dir --wheel-dir /wheels '/src[corpus,crawl]'

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels pip install --no-cache-dir --no-index --find-links /wheels 'tamis[corpus,crawl]'
RUN useradd --create-home tamis
USER tamis
WORKDIR /home/tamis
ENTRYPOINT ["tamis"]
CMD ["--help"]
