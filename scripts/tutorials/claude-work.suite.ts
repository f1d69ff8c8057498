// The work that claude.md asks for: as answers of the provider for the real engine, and as an agent that does the same without one.
import {
  type AnthropicStubRequest,
  conversation,
  type StubTurn,
} from '@bridle/runners/engines/claude/anthropic-stub.suite'

/** The answer of the provider to a request of Claude Code; undefined = none of the page's prompts. */
export const turnOf = ({ body, isAux }: AnthropicStubRequest): StubTurn | undefined => {
  if (isAux) return undefined
  const { text, steps } = conversation(body.messages ?? [])
  const turns = work.find(([prompt]) => text.includes(prompt))?.[1](folderOf(body))
  return turns?.[Math.min(steps, turns.length - 1)]
}

/** Claude Code tells the model where it works. */
const folderOf = (body: object): string => /working directory: ([^\s"\\]+)/i.exec(JSON.stringify(body))?.[1] ?? '.'

const called = (tool: string, input: object): StubTurn => ({ blocks: [{ tool_use: tool, input }] })
const said = (text: string): StubTurn => ({ blocks: [{ text }] })

/** For each prompt the tools that are called, one after the other, and the last words. */
const work: readonly (readonly [prompt: string, turns: (folder: string) => readonly StubTurn[]])[] = [
  [
    'Mend it.',
    (folder) => [
      called('Read', { file_path: `${folder}/total.js` }),
      called('Edit', { file_path: `${folder}/total.js`, old_string: '.slice(1)', new_string: '' }),
      said('I have mended total().'),
    ],
  ],
  ['Why did it forget', () => [said('slice(1) leaves out the first one.')]],
  [
    'Write notes.md',
    (folder) => [
      called('Write', { file_path: `${folder}/notes.md`, content: 'total() adds all prices.\n' }),
      said('I have written notes.md.\n'),
    ],
  ],
  ['Run the tests.', () => [called('Bash', { command: 'node --test', description: 'Runs the tests' }), said('Done.')]],
  [
    'Explain total.js',
    (folder) => [
      // Dear enough for the budget of the page.
      { ...called('Read', { file_path: `${folder}/total.js` }), usage: { input_tokens: 20_000 } },
      said('It adds the prices up.'),
    ],
  ],
  // The words with which an engine is asked to continue after a stop.
  ['The work was stopped', () => [said('It adds the prices up.')]],
  ['Which files', () => [said('Two files: total.js and total.test.js.')]],
]

/** agents/coder.ts */
export const CODER = `
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { agent } from 'bridle'

export default agent({
  name: 'coder',
  run: async ({ input, session, workspace }) => {
    const { prompt } = input
    const write = (file, content) => session.tool('Write', { file }, () => writeFileSync(workspace + '/' + file, content))
    if (prompt.includes('Mend it.')) {
      await write('total.js', readFileSync(workspace + '/total.js', 'utf8').replace('.slice(1)', ''))
      await session.text('I have mended total().')
    } else if (prompt.includes('Why did it forget')) {
      await session.text('slice(1) leaves out the first one.')
    } else if (prompt.includes('Write notes.md')) {
      await write('notes.md', 'total() adds all prices.\\n')
      await session.text('I have written notes.md.\\n')
    } else if (prompt.includes('Run the tests.')) {
      const run = () => execFileSync('node', ['--test'], { cwd: workspace, encoding: 'utf8' })
      await session.tool('Bash', { command: 'node --test' }, run, { approve: { reason: 'It runs a command.' } })
    } else if (prompt.includes('Explain total.js')) {
      await session.usage({ inputTokens: 20_000, outputTokens: 20, costUsd: 0.1 })
      await session.tool('Read', { file: 'total.js' }, () => readFileSync(workspace + '/total.js', 'utf8'), { effect: 'pure' })
      await session.text('It adds the prices up.')
    } else await session.text('Two files: total.js and total.test.js.')
  },
})
`
