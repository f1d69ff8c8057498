import { expect, test } from 'vitest'
import { parseFrontMatter } from './front-matter.ts'

const front = (...lines: string[]) => parseFrontMatter(['---', ...lines, '---', 'Body.'].join('\n'))

test('[EN7] name, description and argument hint are kept, and every other key is named as ignored', () => {
  const keys = ['allowed-tools: Bash(*)', 'tools: Read, Bash', 'permissionMode: bypassPermissions', 'model: opus']
  const nested = ['hooks:', '  PreToolUse:', '    - matcher: "*"', 'mcpServers:', '- evil', 'unknown_key: 1']
  expect(front('name: deploy', 'description: Deploys it.', 'argument-hint: "[stage]"', ...keys, ...nested)).toEqual({
    name: 'deploy',
    description: 'Deploys it.',
    argumentHint: '[stage]',
    ignored: ['allowed-tools', 'tools', 'permissionMode', 'model', 'hooks', 'mcpServers', 'unknown_key'],
    body: 'Body.',
  })
})

test.each([
  ['plain', ['description: Plain words # and a comment'], 'Plain words'],
  ['in double quotes', ['description: "With: a colon, and \\"quotes\\"" # note'], 'With: a colon, and "quotes"'],
  ['in single quotes', ["description: 'It''s here'"], "It's here"],
  [
    'folded',
    ['description: >-', '  One line', '  and # another.', '', '  A paragraph.'],
    'One line and # another. A paragraph.',
  ],
  ['literal', ['description: |', '  One', '  Two'], 'One Two'],
  ['over several lines', ['description: One', '  two', '  # a comment', '  three'], 'One two three'],
  ['an anchor, which is not expanded', ['description: &a !!js/function x'], '&a !!js/function x'],
  ['a merge key, which is not merged', ['description: x', '<<: *a'], undefined],
  ['empty', ['description:'], undefined],
  ['long', [`description: ${'x'.repeat(2_000)}`], 'x'.repeat(1_024)],
])('[EN7] a value that is %s', (_name, lines, expected) => {
  expect(front(...lines).description).toBe(expected)
})

test.each([
  ['a text without front matter', '# Title\n\nname: x'],
  ['a line across the page', '---\n\nSome text: with a colon.\n\n---\n'],
  ['front matter without an end', '---\nname: x\n'],
  ['nothing between the lines', '---\n---\nText.'],
  ['an empty text', ''],
])('[EN7] %s is text as it is', (_name, text) => {
  expect(parseFrontMatter(text)).toEqual({ ignored: [], body: text })
})

test('[EN7] names of prototypes are keys like any other, and a hostile front matter takes no time', () => {
  expect(front('__proto__: x', 'constructor: y', 'name: own')).toMatchObject({
    name: 'own',
    ignored: ['__proto__', 'constructor'],
  })
  const many = Array.from({ length: 1_000 }, (_, index) => `key${index}: 1`)
  expect(front(...many).ignored).toHaveLength(20)
  for (const odd of [' '.repeat(250_000), `a${' '.repeat(250_000)}b`, `"${'\\'.repeat(250_000)}`, ': '.repeat(120_000)])
    expect(parseFrontMatter(`---\nname: x\n${odd}\n---\nBody.`).body.length).toBeGreaterThan(0)
})
