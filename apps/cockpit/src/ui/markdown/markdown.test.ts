import { expect, test } from 'vitest'
import { blocksOf, emptyBlocks, growBlocks } from './blocks.ts'
import { withCharacters } from './entities.ts'
import { differingHost, openedAddress } from './links.ts'

const DOCUMENT = `# Title

A paragraph with **bold**, \`code\` and [a link](https://example.com).
It has a second line.

* one
  * nested

  still one
* two

1. first
2. second

> a quote
> over lines

| name | count |
| --- | ---: |
| a | 1 |
| b | 2 |

\`\`\`ts
const a = 1

const b = 2
\`\`\`

    indented code

<div onclick="x">html</div>

Setext
===
The end.`

const shapes = (tokens: readonly { type: string; raw: string }[]) =>
  tokens.filter(({ type }) => type !== 'space').map(({ type, raw }) => [type, raw.trimEnd()])

test.each([1, 3, 7, 40, 1_000])('text that comes in pieces of %i characters has the blocks of the whole', (size) => {
  let blocks = emptyBlocks
  for (let end = size; end < DOCUMENT.length + size; end += size) blocks = growBlocks(blocks, DOCUMENT.slice(0, end))
  expect(shapes([...blocks.finished, ...blocks.tail])).toEqual(shapes(blocksOf(DOCUMENT)))
})

test('finished blocks are kept as they are, and the rest alone is read', () => {
  const before = growBlocks(emptyBlocks, 'One.\n\nTwo.\n\nThr')
  const after = growBlocks(before, 'One.\n\nTwo.\n\nThree.')
  expect(before.finished.length).toBeGreaterThan(0)
  expect(after.finished[0]).toBe(before.finished[0])
  expect(after.tail).toHaveLength(1)
  // Another text, as after a retry, begins again.
  expect(shapes(growBlocks(after, 'Else').tail)).toEqual([['paragraph', 'Else']])
})

test.each([
  ['quotes in quotes', '> '.repeat(50_000)],
  ['emphasis that never closes', '_a*'.repeat(30_000)],
  ['items in items', '- '.repeat(50_000)],
])('%s are shown as they are, at once', (_name, text) => {
  const [block] = blocksOf(text)
  expect(block?.raw.trimEnd()).toBe(text.trimEnd())
  expect(['html', 'escape']).toContain(block?.type === 'paragraph' ? block.tokens?.[0]?.type : block?.type)
})

test.each([
  ['https://example.com/a', 'https://example.com/a'],
  ['mailto:ann@example.com', 'mailto:ann@example.com'],
  ['javascript:alert(1)', null],
  ['JaVaScRiPt:alert(1)', null],
  ['\u0001javascript:alert(1)', null],
  ['data:text/html,<script>alert(1)</script>', null],
  ['vbscript:x', null],
  ['/approvals', null],
  ['//evil.example', null],
])('%s opens %s', (href, address) => expect(openedAddress(href)).toBe(address))

test.each([
  ['bank.example', 'https://evil.example/bank.example', 'evil.example'],
  ['https://bank.example/login', 'https://evil.example', 'evil.example'],
  ['https://bank.example', 'https://bank.example/x', null],
  ['example.com', 'https://www.example.com/', null],
  ['the handbook', 'https://evil.example', null],
])('a link with the text %s to %s names the host %s', (text, href, host) =>
  expect(differingHost(text, href)).toBe(host),
)

test('character references are the characters, and unknown ones stay', () => {
  expect(withCharacters('a &lt;b&gt; &amp;amp; &#8212; &#x41; &nope; &#0; &')).toBe('a <b> &amp; — A &nope; \ufffd &')
})
