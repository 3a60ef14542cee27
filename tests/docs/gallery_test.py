"""Every example is in the gallery, with a small picture of it: python3 gallery_test.py."""
import glob
import importlib.util
import os
import struct
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
spec = importlib.util.spec_from_file_location("gallery", os.path.join(ROOT, "cmake", "gallery.py"))
gallery = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gallery)


class GalleryTest(unittest.TestCase):
    def test_every_example_is_there_once(self):
        examples = sorted(os.path.basename(file)[:-5] for file in glob.glob(os.path.join(ROOT, "examples", "*.yaml")))
        self.assertEqual(sorted(name for name, *_ in gallery.machines()), examples)

    def test_every_example_has_a_replay_and_a_sentence_on_what_to_look_at(self):
        for name, _, seconds in gallery.machines():
            self.assertIsNotNone(seconds, name)
        with open(gallery.PAGE, encoding="utf-8") as file:
            text = file.read()
        for name, *_ in gallery.machines():
            self.assertIn(f'src="../replays/{name}.html"', text)
            self.assertIn(f'<a href="#{name}"><img loading="lazy" src="../images/gallery/{name}.png"', text)
            self.assertRegex(text, rf"\n[A-Z][^\n]+\. `catena examples {name}`")

    def test_pictures_are_small(self):
        for name, *_ in gallery.machines():
            with open(os.path.join(gallery.PICTURES, name + ".png"), "rb") as file:
                data = file.read()
            self.assertEqual(struct.unpack(">II", data[16:24]), (480, 300), name)
            self.assertLessEqual(len(data), gallery.MOST_BYTES, name)


if __name__ == "__main__":
    unittest.main()
