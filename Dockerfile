# docker build -t catena .    then    docker run --rm -v "$PWD:/work" catena simulate scene.yaml --out run.html
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates make
COPY . /catena
WORKDIR /catena
RUN make package

FROM debian:12
COPY --from=build /catena/build/catena_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/catena_*.deb chromium ffmpeg \
 && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["catena"]
