#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""transform.py FROM TO: CUDA C++ into C++ that a host compiler takes, beside cuda_runtime.h of this folder.

Only what no macro can express is rewritten, and every line keeps its number:
  kernel<A, B><<<grid, block, ...>>> (arguments)   becomes a call of emulation::Launch
  __shared__ type name[size], other;               references into the CTA's own memory
  extern __shared__ type name[];                   a pointer to its dynamic part
  __global__ void kernel (...) { ... }             tells its name and launch bounds first
"""
import re
import sys


class Malformed(Exception):
    pass


def without_comments(text):
    """TEXT with comments, strings and preprocessor lines blanked, so that offsets stay the same."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:\\\n|[^\n])*'
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.S | re.M)


def closing(code, at):
    """Index of the bracket that closes the one at AT."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in '([{') - (code[i] in ')]}')
        if depth == 0:
            return i
    raise Malformed(f'"{code[at]}" is never closed', at)


def statement_end(code, at):
    """Index of the semicolon that ends the declaration at AT."""
    while code[at] != ';':
        at = closing(code, at) + 1 if code[at] in '([{' else at + 1
        if at >= len(code):
            raise Malformed('a declaration without an end', at - 1)
    return at


def name_start(code, end):
    """Where the kernel's name begins, with namespaces and template arguments, that ends before END."""
    at = len(code[:end].rstrip())
    if code[at - 1] == '>':
        angles = parentheses = 0
        while True:
            at -= 1
            if at < 0:
                raise Malformed('template arguments without a beginning', end)
            parentheses += (code[at] == ')') - (code[at] == '(')
            if parentheses == 0:
                angles += (code[at] == '>') - (code[at] == '<')
                if angles == 0:
                    break
    return re.search(r'[\w:]*\s*$', code[:at]).start()


def launches(text, code):
    for match in re.finditer('<<<', code):
        start = name_start(code, match.start())
        end = match.end()
        while not code.startswith('>>>', end):
            end = closing(code, end) + 1 if code[end] in '([{' else end + 1
            if end >= len(code):
                raise Malformed('"<<<" without ">>>"', match.start())
        call = re.compile(r'\s*\(').match(code, end + 3)
        if not call:
            raise Malformed('a launch without arguments', end)
        last = closing(code, call.end() - 1)
        arguments = text[call.end():last]
        comma = ', ' if arguments.strip() else ''
        yield start, last + 1, (f'::emulation::Launch ({text[match.end():end]}).run{text[end + 3:call.end()]}'
                                f'{text[start:match.start()].strip()}{comma}{arguments})')


def declarators(code):
    """Base type and the declarators "name[size]..." of a declaration."""
    pieces, depth, begin = [], 0, 0
    for i, c in enumerate(code):
        depth += (c in '([{<') - (c in ')]}>')
        if c == ',' and depth == 0:
            pieces.append((begin, i))
            begin = i + 1
    pieces.append((begin, len(code)))
    first = re.search(r'(\w+)\s*((?:\[[^\]]*\]\s*)*)$', code[:pieces[0][1]])
    if not first:
        raise Malformed('a __shared__ variable without a name', 0)
    pieces[0] = (first.start(), pieces[0][1])
    return code[:first.start()].strip(), [code[a:b].strip() for a, b in pieces]


def shared_variables(text, code):
    for match in re.finditer(r'\b(extern\s+)?__shared__\b', code):
        begin, end = match.end(), statement_end(code, match.end())
        base, names = declarators(code[begin:end])
        result = ''
        for name in names:
            word = re.match(r'\w+', name).group()
            if match.group(1):
                # Compilers differ in what an alignment does to a pointer; all of this memory has it anyway.
                base = re.sub(r'\b__align__\s*\([^)]*\)\s*', '', base)
                result += f' {base} *{word} = ({base} *) ::emulation::dynamic_shared ();'
            else:
                result += (f' struct shared_{word} {{ {base} {name}; }};'
                           f' auto &{word} = ::emulation::shared<shared_{word}> ("{word}")->{word};')
        yield match.start(), end + 1, result.strip() + '\n' * (
            text[match.start():end + 1].count('\n') - result.count('\n'))


def kernels(_, code):
    for match in re.finditer(r'\b__global__\b', code):
        bounds = '0'
        at = match.end()
        while code[at] not in '{;':
            found = re.compile(r'__launch_bounds__\s*\(').match(code, at)
            if found:
                bounds = code[found.end():closing(code, found.end() - 1)]
            at = closing(code, code.index('(', at)) + 1 if found or code[at] == '(' else at + 1
            if at >= len(code):
                raise Malformed('a kernel without a body', match.start())
        if code[at] == '{':
            yield at + 1, at + 1, f' ::emulation::enter (__PRETTY_FUNCTION__, {" ".join(bounds.split())});'


def transform(text):
    code = without_comments(text)
    edits = []
    for find in (launches, shared_variables, kernels):
        edits.extend(find(text, code))
    # As a macro it would break system headers, which spell the attribute so.
    edits.extend((m.start(), m.end(), '__attribute__ ((noinline))') for m in re.finditer(r'\b__noinline__\b', code))
    # The output folder is flat: Meson's targets write no folders.
    edits.extend((m.start(1), m.end(1), f'"cuda/{m[2]}-{m[3]}"')
                 for m in re.finditer(r'^#include ("cuda/(\w+)/([\w.]+)")', text, flags=re.M))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def main():
    source, target = sys.argv[1:]
    with open(source, encoding='utf-8') as file:
        text = file.read()
    try:
        result = transform(text)
    except Malformed as error:
        message, at = error.args
        sys.exit(f'{source}:{text.count(chr(10), 0, at) + 1}: {message}')
    with open(target, 'w', encoding='utf-8') as file:
        file.write(f'#line 1 "{source}"\n{result}')


main()
