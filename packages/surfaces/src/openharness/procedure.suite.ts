// Procedures under test, as agents of an engine.
import { createHash } from 'node:crypto'
import type { AgentDefinition } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import { sop } from '@bridle/agents/sop'
import type { TestRunner } from '../http/test-app.suite.ts'

const digest = async (text: string) => createHash('sha256').update(text).digest('hex')
const clock = {
  now: () => 1_700_000_000_000,
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

const procedureRunner = (definition: AgentDefinition): TestRunner =>
  Object.assign(nativeRunner(definition, { clock, digest }), { isProcedure: definition.isProcedure === true })

export const form = { action_type: 'render_ui', payload: { component: 'Form' } }

/** Says a word, shows a form, asks for a name, and gives thanks. */
export const onboard = procedureRunner(
  sop({
    id: 'onboard',
    steps: [
      { id: 'hello', say: 'Welcome.' },
      { id: 'form', directive: form },
      { id: 'name', ask: 'Your name?' },
      { id: 'thanks', say: ({ name }) => `Thank you, ${name}.` },
    ],
  }),
)

/** Asks for an approval, and pays. */
export const payment = procedureRunner(
  sop({
    id: 'pay',
    steps: [
      { id: 'sure', approve: 'Pay 100 EUR?' },
      { id: 'choice', branch: ({ sure }) => (sure ? undefined : 'end') },
      { id: 'done', say: 'Paid.' },
    ],
  }),
)

/** Says a word, and ends. */
export const greet = procedureRunner(sop({ id: 'greet', steps: [{ id: 'hello', say: 'Good day.' }] }))

/** Asks for a name, and waits for a second. */
export const brief = procedureRunner(sop({ id: 'brief', steps: [{ id: 'name', ask: 'Your name?', expiresMs: 1_000 }] }))
