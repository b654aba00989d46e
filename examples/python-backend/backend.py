"""Follows the customers of a service: keeps the values they share, opened, in a database of its own.

    CODASE_FRONT_DOOR, CODASE_CLIENT_ID, CODASE_CLIENT_SECRET   the platform, and the data client of the service
    CODASE_KEY_FILE, CODASE_PASSPHRASE_FILE                  its private key (encrypted PEM) and the passphrase
    CODASE_DATABASE                                       a file for SQLite
    python3 backend.py [--once]                        --once: ends when the feed is empty
"""

import os
import sqlite3
import sys
import time

from company_data import CompanyData, ServiceKey, Unreadable

POLL_SECONDS = 5
# The feed holds an event for 7 days, so that an event which was seen before cannot come again after 8.
SEEN_SECONDS = 8 * 24 * 60 * 60

SCHEMA = """
create table if not exists seen (event_id text primary key, seen_at integer not null);
create table if not exists customer (person_user_id text, slug text, value text, primary key (person_user_id, slug));
create table if not exists feed (channel text primary key, lease text not null);
"""


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Backend:
    def __init__(self, api, key, database):
        self.api, self.key, self.database = api, key, database
        database.executescript(SCHEMA)
        if "seen_at" not in [name for _, name, *_ in database.execute("pragma table_info(seen)")]:  # a database of an earlier version
            database.execute(f"alter table seen add column seen_at integer not null default {int(time.time())}")
        database.execute("create index if not exists seen_by_time on seen (seen_at)")

    def sync(self):
        """All customers as they are; the feed tells what changes from then on."""
        page = {}
        while page is not None:
            answer = self.api.call("list_connections", query=page)
            with self.database:
                for connection in answer["items"]:
                    for slug, value in connection["values"].items():
                        self.put(connection["person_id"], slug, value.get("value"))
            page = {"cursor": answer["next_cursor"]} if answer["next_cursor"] else None

    def drain(self):
        """Takes the events under a lease, and says whether there are more. What is stored is acknowledged by the next call."""
        row = self.database.execute("select lease from feed where channel = 'plain'").fetchone()
        answer = self.api.call("drain_changes", query={"lease": row[0] if row else "new"})
        now = int(time.time())
        with self.database:  # one transaction: the events, that they were seen, and the lease that acknowledges them
            for event in answer["events"]:
                fresh = self.database.execute("insert or ignore into seen values (?, ?)", [event["id"], now]).rowcount
                if fresh:
                    self.handle(event)
            self.database.execute("delete from seen where seen_at < ?", [now - SEEN_SECONDS])
            self.database.execute("insert or replace into feed values ('plain', ?)", [answer["lease"]])
        return answer["more"] or bool(answer["events"])

    def handle(self, event):
        kind, person = event["event"], event["person_user_id"]
        if kind == "field_updated":
            self.put(person, event["slug"], event.get("value"))
        elif kind == "field_deleted":
            self.remove(person, event["slug"])
        elif kind == "connection_deleted":
            self.database.execute("delete from customer where person_user_id = ?", [person])
        elif kind in ("connection_created", "consent_accepted"):
            self.read_values(person)
        print(kind, event.get("slug", ""), flush=True)

    def read_values(self, person):
        """These events carry no values: they are in the connection."""
        page = {}
        while page is not None:
            answer = self.api.call("list_connections", query=page)
            for connection in answer["items"]:
                if connection["person_id"] == person:
                    for slug, value in connection["values"].items():
                        self.put(person, slug, value.get("value"))
            page = {"cursor": answer["next_cursor"]} if answer["next_cursor"] else None

    def put(self, person, slug, wrapper):
        """A file has a `value_url` in place of a value; this example leaves it where it is. A value that does not open is left out, so
        that one customer cannot stop the service for the others; the value before it is no longer the customer's, and goes."""
        if wrapper is None:
            return
        try:
            value = self.key.open(wrapper)
        except Unreadable:
            print("a value does not open:", person, slug, flush=True)
            return self.remove(person, slug)
        self.database.execute("insert or replace into customer values (?, ?, ?)", [person, slug, value])

    def remove(self, person, slug):
        self.database.execute("delete from customer where person_user_id = ? and slug = ?", [person, slug])


def main():
    env = os.environ
    api = CompanyData(env["CODASE_FRONT_DOOR"], env["CODASE_CLIENT_ID"], env["CODASE_CLIENT_SECRET"])
    key = ServiceKey(read(env["CODASE_KEY_FILE"]), read(env["CODASE_PASSPHRASE_FILE"]).strip())
    database = sqlite3.connect(env["CODASE_DATABASE"])
    backend = Backend(api, key, database)
    print("service", api.call("whoami")["service_id"], flush=True)
    if not database.execute("select 1 from feed").fetchone():
        backend.sync()
    while True:
        if not backend.drain():
            if "--once" in sys.argv:
                return
            time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    main()
