// Agents of the Worker under test for shells: some read the files of their prompts, others ask and direct.
import { type AgentDefinition, agent, type RunContext } from '@bridle/agents/agent'
import { sop } from '@bridle/agents/sop'
import { scriptedModel } from '@bridle/agents/testing/index'

/** Lists its files, first after an approval where it is to ask. */
const reader = agent({
  name: 'reader',
  run: async ({ input, attachments, session }: RunContext<unknown>) => {
    const { prompt } = input as { prompt?: string }
    if (prompt === 'ask' && !(await session.approval({ subject: 'read', reason: 'asks' })).approved) return 'unread'
    const lines = attachments.map(async (file) => {
      const bytes = await file.bytes()
      return [file.name, file.mimeType, file.sizeBytes, bytes.byteLength, await sumOf(bytes)].join(' ')
    })
    return (await Promise.all(lines)).join('\n')
  },
})

const sumOf = async (bytes: Uint8Array): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Answers with the messages of the user, as it got them. */
const viewer = agent({
  name: 'viewer',
  model: scriptedModel(({ messages }) => ({
    text: JSON.stringify(messages.filter(({ role }) => role === 'user').map(({ content }) => content)),
  })),
})

/** Answers with its input. */
const listener = agent({ name: 'listener', run: async ({ input }: RunContext<unknown>) => JSON.stringify(input) })

const onboard = sop({
  id: 'onboard',
  steps: [
    { id: 'hello', say: 'Welcome.' },
    { id: 'form', directive: { action_type: 'render_ui', payload: { component: 'Form' } } },
    { id: 'name', ask: 'Your name?' },
    { id: 'thanks', say: ({ name }) => `Thank you, ${name}.` },
  ],
})

export const shellAgents: readonly AgentDefinition[] = [reader, viewer, listener, onboard]
