// Answers as they are spoken: sentences, plain words, announced blocks.
import { describe, expect, test } from 'vitest'
import { plainWords } from './plain-words.ts'
import { SENTENCE_CHARS_MAX, SentenceCutter, type SpokenPart } from './sentences.ts'

/** The parts of a text that is written in pieces of so many characters. */
const cut = (text: string, size = text.length): SpokenPart[] => {
  const cutter = new SentenceCutter()
  const parts: SpokenPart[] = []
  for (let at = 0; at < text.length; at += size) parts.push(...cutter.write(text.slice(at, at + size)))
  return [...parts, ...cutter.flush()]
}
const words = (text: string, size?: number) =>
  cut(text, size)
    .map((part) => part.words)
    .filter((each) => each !== '')

describe('[V64] an answer is spoken in sentences', () => {
  test.each<[string, string, string[]]>([
    ['ends and spaces', 'One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
    ['numbers', 'It is 3.5 metres. Or 4.', ['It is 3.5 metres.', 'Or 4.']],
    ['titles', 'Ask Dr. Who, e.g. today. Then go.', ['Ask Dr. Who, e.g. today.', 'Then go.']],
    ['quotes', 'She said "no." He left.', ['She said "no."', 'He left.']],
    ['other scripts', '你好。再见！', ['你好。', '再见！']],
    ['wrapped lines', 'A sentence\nover lines. Next', ['A sentence over lines.', 'Next']],
    ['paragraphs', 'No end\n\nNew one', ['No end', 'New one']],
    ['headings and lists', '# Plan\nText\n- one\n- two\n1. three', ['Plan', 'Text', 'one', 'two', '1. three']],
  ])('%s', (_name, text, expected) => {
    for (const size of [1, 2, 7, text.length]) expect(words(text, size)).toEqual(expected)
  })

  test('a sentence comes as soon as it is complete', () => {
    const cutter = new SentenceCutter()
    expect(cutter.write('Hello there. How').map((part) => part.words)).toEqual(['Hello there.'])
    expect(cutter.write(' are you? ').map((part) => part.words)).toEqual(['How are you?'])
    expect(cutter.flush()).toEqual([])
  })

  test('a long sentence is cut at a comma, else at a space, else anywhere', () => {
    for (const unit of ['word word word, ', 'word ', '𝒳']) {
      const parts = cut(unit.repeat(200))
      expect(Math.max(...parts.map(({ from, to }) => to - from))).toBeLessThanOrEqual(SENTENCE_CHARS_MAX)
      expect(parts.every((part) => part.words.isWellFormed())).toBe(true)
    }
    expect(words('word word word, '.repeat(30))[0]?.endsWith('word,')).toBe(true)
  })

  test('parts cover the answer without gaps, however it is written', () => {
    const text =
      '# A\n\nSome *text*. More:\n\n```ts\nconst a = 1\n```\n| a | b |\n|---|---|\n| 1 | 2 |\nEnd. 1. x\n```\nopen'
    for (const size of [1, 3, 10, text.length]) {
      const parts = cut(text, size)
      expect(parts.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text)
      expect(parts.every(({ from }, index) => from === (parts[index - 1]?.to ?? 0))).toBe(true)
    }
  })
})

describe('[V65] code and tables are announced, and marks are not read', () => {
  test('a block of code, and one without an end', () => {
    const text = 'Look:\n```ts\nconst a = 1. \n\nlet b\n```\nDone.\n~~~\nx\n'
    for (const size of [1, 4, text.length])
      expect(words(text, size)).toEqual([
        'Look:',
        'There is a block of TypeScript code.',
        'Done.',
        'There is a block of code.',
      ])
  })

  test('a table', () => {
    expect(words('Here:\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSo.', 5)).toEqual(['Here:', 'There is a table.', 'So.'])
  })

  test.each([
    ['**Bold** and *soft* and _so_ and `code`', 'Bold and soft and so and code'],
    ['snake_case_name stays', 'snake_case_name stays'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['See [the page](https://a.example/x?y=1).', 'See the page.'],
    ['At https://www.a.example/long/path?x=1.', 'At a link to a.example.'],
    ['<https://a.example>', 'a link to a.example'],
    ['![A cat](cat.png)', 'A cat'],
    ['<b>Hi</b> &amp; bye', 'Hi & bye'],
    ['- [x] done', 'done'],
    ['> quoted', 'quoted'],
    ['Great 🎉!', 'Great !'],
    ['---', ''],
    ['***', ''],
    ['🎉', ''],
  ])('%s', (written, spoken) => expect(plainWords(written)).toBe(spoken))
})
