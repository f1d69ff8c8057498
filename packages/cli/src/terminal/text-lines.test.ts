import { expect, test } from 'vitest'
import { displayWidth } from './display-width.ts'
import { truncateLine } from './output.ts'
import { wrapRemark, wrapText, wrapWords } from './text-lines.ts'

const family = '👩‍👩‍👧‍👦'

test('[C305] a joined emoji, a flag and marks take the columns that they are drawn in, and stay in one piece', () => {
  expect(wrapText(family.repeat(12), 20)).toEqual([family.repeat(10), family.repeat(2)])
  expect(wrapText('🇩🇪'.repeat(11), 20)).toEqual(['🇩🇪'.repeat(10), '🇩🇪'])
  expect(wrapText('e\u0301'.repeat(25), 20)).toEqual(['e\u0301'.repeat(20), 'e\u0301'.repeat(5)])
  expect(wrapText('❤️'.repeat(11), 20)).toEqual(['❤️'.repeat(10), '❤️'])
})

test('[C305] lines together are the text, and none is too wide', () => {
  const text = `a ${family} 世界 \\u001b e\u0301 🇩🇪 ${'word '.repeat(20)}${'x'.repeat(50)} ❤️‍🔥1️⃣`
  for (const columns of [20, 21, 33, 80]) {
    const lines = wrapText(text, columns)
    expect(lines.join('')).toBe(text)
    expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([])
  }
})

test('[C305] an escape is not broken', () => {
  expect(wrapText(`${'x'.repeat(18)}\\u001bz`, 20)).toEqual(['x'.repeat(18), '\\u001bz'])
})

test('[C305] a line that is cut fits', () => {
  expect(truncateLine(`${family}${family}${family}`, 5)).toBe(`${family}${family}…`)
  expect(truncateLine('世界世界', 6)).toBe('世界…')
  expect(truncateLine('世界', 4)).toBe('世界')
})

test.each([
  [
    'Codex is not installed. Run: npm install @openai/codex',
    ['Codex is not installed. Run: ', 'npm install @openai/codex'],
  ],
  [
    'The file uses import or export. Run: npm pkg set type=module',
    ['The file uses import or export. Run: ', 'npm pkg set type=module'],
  ],
  [
    'Claude is not installed. Run: (cd apps/sandbox && npm ci)',
    ['Claude is not installed. Run: ', '(cd apps/sandbox && npm ci)'],
  ],
  [
    'There is no session called so. Try npm run -s bridle -- sessions.',
    ['There is no session called so. Try ', 'npm run -s bridle -- sessions.'],
  ],
  [
    'Branched at ev-9. npx bridle run scripted "…" --id s-12',
    ['Branched at ev-9. ', 'npx bridle run scripted "…" --id s-12'],
  ],
  [
    'The server ends with it: bridle start, then bridle attach scripted-12',
    ['The server ends with it: bridle start, ', 'then bridle attach scripted-12'],
  ],
])('[C281] the command in "%s" stands in one piece', (text, lines) => {
  expect(wrapWords(text, 40)).toEqual(lines)
})

test('[C281] a command that is longer than a line is broken between its words', () => {
  expect(wrapWords('Run: npm install @anthropic-ai/sdk', 20)).toEqual(['Run: npm install ', '@anthropic-ai/sdk'])
})

test('[C281] a remark keeps its words whole, and lines to copy as they are', () => {
  const path = `  /${'folder/'.repeat(8)}`
  expect(wrapRemark(`Works in a copy of your folder, which stays as it is:\n${path}\nIt is yours.`, 40)).toEqual([
    'Works in a copy of your folder, which',
    'stays as it is:',
    path,
    'It is yours.',
  ])
})
