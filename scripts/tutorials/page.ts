// A tutorial as steps. The page is what people read, and the steps are what a test plays:
//
//   ```ts agents/greet.ts     a file: written as it stands, below the folder of the project
//   ```sh                     commands, run one after the other
//   ```sh server              a command that goes on: started, and waited for until it serves; another one replaces it
//   ```sh page                the same for the server of a page, beside the other one
//   ```sh by-hand             commands that a test cannot play, such as an installation
//   <!-- until: command -->   for the test alone: repeated until it succeeds, where a reader just looks
//   ```text                   lines that the commands before it print, in this order; `…` stands for anything

export type TutorialStep =
  | { readonly kind: 'file'; readonly line: number; readonly path: string; readonly content: string }
  | {
      readonly kind: 'commands' | 'server' | 'page' | 'by-hand' | 'until'
      readonly line: number
      readonly commands: readonly string[]
    }
  | { readonly kind: 'output'; readonly line: number; readonly lines: readonly string[] }

export const parseTutorial = (page: string): readonly TutorialStep[] => {
  const steps: TutorialStep[] = []
  const lines = page.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const wait = /^<!-- until: (.+) -->$/.exec(lines[at] ?? '')
    if (wait) steps.push({ kind: 'until', line: at + 1, commands: [wait[1] ?? ''] })
    const fence = /^```(\w+)(?: (\S+))?\s*$/.exec(lines[at] ?? '')
    if (!fence) continue
    const end = lines.indexOf('```', at + 1)
    if (end < 0) throw new Error(`The block at line ${at + 1} has no end.`)
    const step = stepOf(fence[1] ?? '', fence[2], lines.slice(at + 1, end), at + 1)
    if (step) steps.push(step)
    at = end
  }
  return steps
}

const stepOf = (
  language: string,
  word: string | undefined,
  content: readonly string[],
  line: number,
): TutorialStep | null => {
  if (language === 'text') return { kind: 'output', line, lines: content.filter((each) => each.trim() !== '') }
  if (language !== 'sh')
    return word === undefined ? null : { kind: 'file', line, path: word, content: `${content.join('\n')}\n` }
  const kind = word === 'server' || word === 'page' || word === 'by-hand' ? word : 'commands'
  return { kind, line, commands: commandsOf(content) }
}

/** A line that ends with a backslash goes on in the next one; comments and empty lines are for readers. */
const commandsOf = (lines: readonly string[]): readonly string[] =>
  lines
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.replace(/\s{2,}#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

/** The first expected line that is missing, in order; null: all are there. */
export const missingLine = (expected: readonly string[], printed: string): string | null => {
  const actual = printed.split('\n')
  let from = 0
  for (const line of expected) {
    const pattern = new RegExp(line.trim().split('…').map(escaped).join('.*'))
    const found = actual.findIndex((each, index) => index >= from && pattern.test(each))
    if (found < 0) return line
    from = found
  }
  return null
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
