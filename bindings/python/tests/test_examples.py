"""The examples run against the bundled shop and its stand-in for a model, as they would for a person without a key."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from rig import ROOT

EXAMPLES = ROOT / "examples" / "python"


def output(name: str, **environment: str) -> str:
    # The first one may have to build the shop.
    ran = subprocess.run(
        [sys.executable, EXAMPLES / name],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_example_of_rust_has_its_twin() -> None:
    names = {path.stem for path in (ROOT / "examples" / "rust").glob("*.rs")}
    assert names <= {path.stem for path in EXAMPLES.glob("*.py")}


def test_demo_finds_all_products_on_the_page() -> None:
    lines = output("demo.py")
    assert "14 products" in lines
    assert "Values that stand nowhere on the page: 0" in lines


def test_price_watch_asks_the_model_once_for_pages_of_one_kind() -> None:
    lines = output("price_watch.py")
    sent = [int(tokens) for tokens in re.findall(r"tokens so far: (\d+) sent", lines)]
    assert len(sent) == 2
    assert sent[0] == sent[1] > 0
    assert re.search(r"€ +\d+\.\d\d", lines)


def test_table_to_csv_writes_what_stands_on_the_page() -> None:
    lines = output("table_to_csv.py").splitlines()
    assert lines[0] == "property,value"
    assert len(lines) > 3


def test_login_signs_in() -> None:
    assert "You are signed in as" in output("login.py")


def test_checkout_corrects_the_postcode_and_places_the_order() -> None:
    lines = output("checkout.py")
    assert re.search(r"refused: postcode \(.+\)", lines)
    # The shop starts with one order on its books.
    assert lines.endswith("\nOrder 1002:\n  1 × Arc lamp, € 49.00\n")


def test_agent_fills_the_basket_and_says_what_it_does() -> None:
    lines = output("agent.py")
    assert lines.startswith("1. act: Press Add to basket\n2. act: Open the basket\n3. act: Follow Go to checkout\n")
    assert lines.endswith("All of it was done.\n")


def test_download_invoice_saves_the_file_under_its_name(tmp_path: Path) -> None:
    lines = output("download_invoice.py", INVOICES=str(tmp_path))
    invoice = (tmp_path / "invoice-1001.pdf").read_bytes()
    assert invoice.startswith(b"%PDF")
    assert f"invoice-1001.pdf ({len(invoice)} bytes)" in lines


def test_listing_to_dataframe_has_a_row_for_each_product() -> None:
    pytest.importorskip("pandas")
    lines = output("listing_to_dataframe.py")
    assert "14 products, € 72.50 in the middle" in lines
    assert "Clip light" in lines


def test_twenty_pages_are_read_at_once() -> None:
    lines = output("twenty_pages.py")
    assert "20 pages in" in lines
    assert lines.count("Arc lamp") == 2


def test_function_answers_who_knows_the_secret() -> None:
    secret = "0123456789abcdef0123456789abcdef"
    process = subprocess.Popen(
        [sys.executable, EXAMPLES / "function.py"],
        env={**os.environ, "CRON_SECRET": secret, "PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()

        def call(secret: str, address: str = address) -> tuple[int, dict[str, object]]:
            request = urllib.request.Request(address, headers={"authorization": f"Bearer {secret}"})
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    return response.status, json.load(response)
            except urllib.error.HTTPError as error:
                return error.code, json.load(error)

        assert call(secret) == (200, {"ok": True, "data": "Arc lamp: € 49.00"})
        assert [call(wrong)[0] for wrong in ("", secret[1:], f"{secret}0")] == [401, 401, 401]
        assert call(secret, address.replace("/lamp", "/other"))[0] == 404
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
