import { stripVTControlCharacters, styleText } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../terminal/display-width.ts'
import { MarkdownStream } from './markdown-stream.ts'
import type { Paint } from './wrap.ts'

const bare: Paint = { style: (_format, text) => text, hasColour: false }
const coloured: Paint = { style: (format, text) => styleText(format, text, { validateStream: false }), hasColour: true }

const render = (text: string, columns = 40, paint = bare, size = text.length || 1): string[] => {
  const stream = new MarkdownStream(paint)
  const rows: string[] = []
  for (let at = 0; at < text.length; at += size) {
    rows.push(...stream.push(text.slice(at, at + size), columns))
    stream.openRows(columns)
  }
  return [...rows, ...stream.end(columns)]
}

describe('[C191] markdown in rows', () => {
  test.each<[string, string, string[]]>([
    ['a heading keeps its marks where there is no colour', '# One\n## Two', ['# One', '## Two']],
    ['styles lose their marks', 'a **b** *c* ~~d~~ __e__ _f_', ['a b c d e f']],
    ['marks without a partner are text', '2 * 3 * 4 and **open', ['2 * 3 * 4 and **open']],
    ['a name with underscores is a name', 'snake_case_name and __init__', ['snake_case_name and init']],
    ['code keeps its quotes, and what is in them', 'use `a * b * c` here', ['use `a * b * c` here']],
    ['an escaped mark is text', '\\*a\\* \\n', ['*a* \\n']],
    ['a link shows where it leads', '[site](https://a.example/x_y_z)', ['site (https://a.example/x_y_z)']],
    ['a link to its own text is shown once', '[https://a.example](https://a.example)', ['https://a.example']],
    ['a picture is its text and its address', '![cat](cat.png)', ['cat (cat.png)']],
    ['brackets that are no link', '[x] and [y] (z)', ['[x] and [y] (z)']],
    [
      'a list hangs its lines',
      '- one two three four five six seven eight nine\n  - in',
      ['• one two three four five six seven', '  eight nine', '  • in'],
    ],
    ['numbers of a list stay', '9. nine\n10) ten', ['9. nine', '10) ten']],
    [
      'a quote has a bar on every row',
      '> one two three four five six seven eight nine ten',
      ['│ one two three four five six seven', '│ eight nine ten'],
    ],
    ['a rule', 'a\n\n---\nb', ['a', '', '─'.repeat(40), 'b']],
    ['empty lines are one, and none at the start', '\n\na\n\n\n\nb', ['a', '', 'b']],
    [
      'code keeps spaces, marks and empty lines',
      '```ts\na  **b**\n\n\n\tc\n```\nd',
      ['```ts', 'a  **b**', '', '', '    c', '```', 'd'],
    ],
    ['a fence inside code is code', '````\n```\nx\n````', ['````', '```', 'x', '````']],
    ['code that is never closed', '```\nx', ['```', 'x']],
    [
      'a table is aligned',
      '| a | b |\n|:-|-:|\n| 世界 | 1 |\n| x | 222 |\nend',
      ['a    │   b', '─────┼────', '世界 │   1', 'x    │ 222', 'end'],
    ],
    [
      'a table without outer bars, and an escaped bar',
      'a | b\n--|--\n1 \\| 2 | 3',
      ['a     │ b', '──────┼──', '1 | 2 │ 3'],
    ],
    ['a line with a bar that is no table', 'a | b\nc', ['a | b', 'c']],
    ['carriage returns at the end of lines', 'a\r\nb\r\n', ['a', 'b']],
    ['controls of a model are made visible', 'a\u001b[31mb\u0007\u202ec\u009b', ['a␛[31mb␇�c�']],
    ['a rule in a quote', '> ---', [`│ ${'─'.repeat(38)}`]],
    ['controls behind the mark of code', '```\u001b]0;x\u0007\na\n```', ['```␛]0;x␇', 'a', '```']],
    [
      'a language longer than the window',
      `\`\`\`${'x'.repeat(40)}\na\n\`\`\``,
      [`\`\`\`${'x'.repeat(37)}`, 'xxx', 'a', '```'],
    ],
    ['controls in code, too', '```\n\u001b]0;x\u0007\n```', ['```', '␛]0;x␇', '```']],
  ])('%s', (_name, text, rows) => {
    expect(render(text)).toEqual(rows)
    expect(render(text, 40, bare, 1)).toEqual(rows)
  })

  test('colours, and no escape beside ours', () => {
    expect(render('# A\n**b** `c`\n```js\nd\n```\n\u001b[2J', 40, coloured)).toEqual([
      '\u001b[1mA\u001b[22m',
      '\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m',
      '  \u001b[2mjs\u001b[22m',
      '  \u001b[36md\u001b[39m',
      '␛[2J',
    ])
    expect(render(`${' '.repeat(60)}\`\`\`\u001b[2J ${'x'.repeat(30)}\nd`, 40, coloured)).toEqual([
      `${' '.repeat(18)}\u001b[2m␛[2J\u001b[22m`,
      `${' '.repeat(18)}\u001b[2m${'x'.repeat(22)}\u001b[22m`,
      `${' '.repeat(18)}\u001b[2m${'x'.repeat(8)}\u001b[22m`,
      `${' '.repeat(18)}\u001b[36md\u001b[39m`,
    ])
  })

  test('wide characters and emoji are broken by the columns that they take', () => {
    expect(render('世'.repeat(25))).toEqual(['世'.repeat(20), '世'.repeat(5)])
    expect(render('👩‍👩‍👧‍👦'.repeat(21))).toEqual(['👩‍👩‍👧‍👦'.repeat(20), '👩‍👩‍👧‍👦'])
    expect(render('e\u0301'.repeat(41))).toEqual(['e\u0301'.repeat(40), 'e\u0301'])
  })

  test('a table that is too wide wraps its cells, and gives up with too many columns', () => {
    const rows = render('| name | text |\n|--|--|\n| a | one two three four five six seven eight |', 24)
    expect(rows).toEqual([
      'name │ text',
      '─────┼──────────────────',
      'a    │ one two three',
      '     │ four five six',
      '     │ seven eight',
    ])
    const many = `|${'a|'.repeat(12)}\n|${'-|'.repeat(12)}`
    expect(render(many, 24).join('')).toContain('a|a')
  })
})

const pieces = fc.constantFrom(
  ...[
    'word',
    ' ',
    '\n',
    '**',
    '*',
    '_',
    '`',
    '```',
    '|',
    '|--|',
    '- ',
    '> ',
    '# ',
    '[a](b)',
    '世',
    '\t',
    '\r\n',
    '\\',
    '~~',
  ],
)
const source = fc.array(pieces, { maxLength: 80 }).map((parts) => parts.join(''))

test('[C191] the size of the pieces makes no difference, and no row is wider than the window', () => {
  fc.assert(
    fc.property(source, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 20, max: 60 }), (text, size, columns) => {
      const rows = render(text, columns, coloured)
      expect(render(text, columns, coloured, size)).toEqual(rows)
      for (const row of rows) expect(displayWidth(stripVTControlCharacters(row))).toBeLessThanOrEqual(columns)
    }),
  )
})

test('[C192] a paragraph that outgrows the window is printed row by row, with every character of it once', () => {
  const words = Array.from({ length: 300 }, (_, at) => `w${at}`).join(' ')
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom('', '- ', '```\n', '> '),
      (size, kept, lead) => {
        const stream = new MarkdownStream(bare)
        const rows: string[] = []
        const text = lead + words
        for (let at = 0; at < text.length; at += size) {
          rows.push(...stream.push(text.slice(at, at + size), 40))
          if (stream.openRows(40).length > 6) rows.push(...stream.freeze(kept, 40))
          expect(stream.openRows(40).length).toBeLessThanOrEqual(6 + Math.ceil(size / 20))
        }
        rows.push(...stream.end(40))
        const shown = rows.join(lead === '```\n' ? '' : ' ').replace(/[•│`]/g, '')
        const expected = words.replaceAll(' ', '')
        expect(shown.replace(/\s/g, '')).toBe(expected)
      },
    ),
    { numRuns: 40 },
  )
})

test('[C192] text that is not printed yet can be taken back, printed text cannot', () => {
  const stream = new MarkdownStream(bare)
  stream.push('one\ntwo three', 40)
  expect(stream.withdrawTo(7)).toBe(true)
  expect(stream.openRows(40)).toEqual(['two'])
  expect(stream.withdrawTo(2)).toBe(false)
  expect([...stream.push('!', 40), ...stream.end(40)]).toEqual(['two!'])
})

test('hostile text is rendered in time: work that grows with its square would not end', () => {
  for (const mark of ['*a ', '_a ', '`a', '[a', '**a', '|-', '> ', '[a](', '``a`'])
    expect(render(mark.repeat(10_000), 80, coloured).length).toBeGreaterThan(0)
})
