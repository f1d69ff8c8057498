// The models: the one that BRIDLE_MODEL names, or scripts that need no key. The scripts know the one mistake of the small project.
import type { ModelChoice } from 'bridle'
import { type ModelScript, type ScriptAnswer, type ScriptCall, type ScriptRequest, scriptedModel } from 'bridle/testing'

const FIX = { path: 'total.js', old_text: 'let index = 1;', new_text: 'let index = 0;' }

const STEPS = ['Find the mistake', 'Mend it', 'Ask for a review']

/** The plan with the first steps done. */
const planWith = (done: number): ScriptCall => ({
  tool: 'update_plan',
  input: {
    steps: STEPS.map((text, index) => ({
      text,
      status: index < done ? 'done' : index === done ? 'in_progress' : 'pending',
    })),
  },
})

/** Each answer of the coder, in order. Without a sandbox there is no tool `shell`, and the steps that run the tests are left out. */
const coder = ({ tools, step }: ScriptRequest): ScriptAnswer => {
  const test: ScriptAnswer = { text: 'I run the tests. ', calls: [{ tool: 'shell', input: { command: 'npm test' } }] }
  const hasShell = tools.some(({ name }) => name === 'shell')
  const answers: ScriptAnswer[] = [
    { text: 'I begin with a plan. ', calls: [planWith(0)] },
    { calls: [{ tool: 'list_files' }, { tool: 'read_file', input: { path: 'total.js' } }] },
    ...(hasShell ? [test] : []),
    { text: 'The loop leaves out the first price. ', calls: [planWith(1), { tool: 'edit_file', input: FIX }] },
    ...(hasShell ? [test] : []),
    {
      calls: [
        planWith(2),
        { tool: 'ask_reviewer', input: { task: 'total.js left out the first price. Is it right now?' } },
      ],
    },
    { calls: [planWith(3)] },
    { text: 'Done: total() now adds all prices.' },
  ]
  return answers[step - 1] ?? { text: 'There is nothing left to do.' }
}

const reviewer = [{ calls: [{ tool: 'read_file', input: { path: 'total.js' } }] }, 'Nothing is wrong with it.']

const { BRIDLE_MODEL: name } = process.env
const modelOr = (script: ModelScript): ModelChoice => (name ? (name as ModelChoice) : scriptedModel(script))

export const [coderModel, reviewerModel] = [modelOr(coder), modelOr(reviewer)]
