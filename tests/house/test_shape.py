"""The shape of the code: short files, short functions, few things handed to a constructor."""

from tests.house.source import EVERYTHING, PRODUCT, files, functions, lines, name

CODE = (".py", ".js", ".mjs", ".css")


def test_no_file_is_longer_than_a_person_reads_at_once():
    long = {name(path): count for path in files(*EVERYTHING, endings=CODE) if (count := length(path)) > 300}
    assert long == {}


def length(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def test_nine_of_ten_functions_are_under_thirty_lines():
    sizes = sorted(lines(function) for path in files(*PRODUCT) for function in functions(path))
    assert sizes[len(sizes) * 9 // 10] < 30
    assert sizes[len(sizes) // 2] <= 12


def test_no_function_is_an_exception():
    long = {
        f"{name(path)}:{function.lineno} {function.name}": lines(function)
        for path in files(*PRODUCT)
        for function in functions(path)
        if lines(function) > 60
    }
    assert long == {}


def test_a_constructor_takes_at_most_six_arguments():
    many = [
        f"{name(path)}:{function.lineno}"
        for path in files(*PRODUCT)
        for function in functions(path)
        if function.name == "__init__" and len(function.args.args) + len(function.args.kwonlyargs) > 7
    ]
    assert many == []
