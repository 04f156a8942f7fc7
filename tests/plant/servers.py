# SPDX-License-Identifier: LGPL-2.1-or-later
"""A database and a broker for a test, in a folder of its own. PostgreSQL refuses to run as root, so root becomes "postgres"."""
import os
import shutil
import subprocess


def find_postgres():
    """The folder of the server's programs, which Debian keeps out of PATH, or None."""
    root = "/usr/lib/postgresql"
    versions = [f"{root}/{name}/bin" for name in os.listdir(root)] if os.path.isdir(root) else []
    return max((path for path in versions if os.path.exists(path + "/postgres")), default=None)


def as_postgres(*command):
    """COMMAND as a user that a server of PostgreSQL accepts."""
    if os.geteuid() != 0:
        return list(command)
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]


def make_database(folder):
    """Makes FOLDER with an empty database. Returns the command of its server, and the environment of its clients."""
    programs = find_postgres()
    os.mkdir(folder)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    subprocess.run(as_postgres(f"{programs}/initdb", "--auth=trust", "--no-sync", "--username=postgres", f"{folder}/data"),
                   check=True, stdout=subprocess.DEVNULL, cwd="/")
    server = as_postgres(f"{programs}/postgres", "-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=")
    return server, {"PGHOST": folder, "PGUSER": "postgres", "PGDATABASE": "postgres", "PGTZ": "UTC"}


def make_broker(folder, queues, address, port):
    """Makes FOLDER with a configuration that includes the file QUEUES. Returns the command of the broker."""
    os.makedirs(f"{folder}/conf.d")
    shutil.copy(queues, f"{folder}/conf.d")
    user = "user root\n" if os.geteuid() == 0 else ""
    with open(f"{folder}/mosquitto.conf", "w", encoding="utf-8") as file:
        file.write(f"{user}listener {port} {address}\nallow_anonymous true\n"
                   f"persistence_location {folder}/\ninclude_dir {folder}/conf.d\n")
    return ["mosquitto", "-c", f"{folder}/mosquitto.conf"]


def make_certificates(folder):
    """Makes ca.crt, and broker.crt and broker.key for the host "localhost", in FOLDER."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    new_key = "-newkey", "rsa:2048", "-nodes"
    openssl("req", "-x509", *new_key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=test authority", "-days", "2")
    openssl("req", *new_key, "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=localhost")
    with open(f"{folder}/names", "w", encoding="utf-8") as file:
        file.write("subjectAltName=DNS:localhost\n")
    openssl("x509", "-req", "-in", "broker.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out", "broker.crt",
            "-days", "2", "-extfile", "names")


def make_guarded_broker(folder, plant, port, passwords):
    """Makes FOLDER with the listener, the rights and the queues of the folder PLANT at PORT of localhost, for the users of
    PASSWORDS. Returns the command of the broker."""
    command = make_broker(folder, f"{plant}/mosquitto-queues.conf", "127.0.0.1", port)
    make_certificates(folder)
    shutil.copy(f"{plant}/mosquitto.acl", f"{folder}/contours.acl")
    os.chmod(f"{folder}/contours.acl", 0o600)
    open(f"{folder}/contours.passwd", "w", encoding="utf-8").close()
    for user, password in passwords.items():
        subprocess.run(["mosquitto_passwd", "-b", f"{folder}/contours.passwd", user, password], check=True, capture_output=True)
    with open(f"{plant}/mosquitto-listener.conf", encoding="utf-8") as file:
        text = file.read().replace("/etc/mosquitto/certs", folder).replace("/etc/mosquitto", folder)
    with open(f"{folder}/mosquitto.conf", encoding="utf-8") as file:
        kept = [line for line in file if not line.startswith(("listener", "allow_anonymous"))]
    with open(f"{folder}/mosquitto.conf", "w", encoding="utf-8") as file:
        file.writelines([*kept, text.replace("listener 8883", f"listener {port} 127.0.0.1")])
    return command
