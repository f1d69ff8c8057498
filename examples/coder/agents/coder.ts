// Changes the code of a project with a plan: reads, edits, runs the tests in a sandbox, and asks a reviewer before it is done.
import { agent, plan, subagent } from 'bridle'
import { workspace } from 'bridle/workspace'
import { coderModel, reviewerModel } from '../models.ts'
import { project } from '../project-folder.ts'

const reviewer = agent({
  name: 'reviewer',
  description: 'Reads the code as it is now, and says what is wrong with it. Tell it which files changed, and why.',
  model: reviewerModel,
  instructions: `You review a change. Read the files that you are told about.
Say in one or two sentences what is wrong, or that nothing is.`,
  tools: [workspace({ root: project, readOnly: true, shell: false })],
})

export default agent({
  name: 'coder',
  description: 'Changes the code of a project, and runs its tests.',
  model: coderModel,
  instructions: `You change the code of a project. Write a plan first, and keep it up to date. Look at the files before you change them.
Run the tests with "npm test" before and after the change. Ask the reviewer before you say that you are done.`,
  tools: [workspace({ root: project })],
  use: [plan(), subagent({ agents: [reviewer] })],
  policy: [
    {
      tool: 'shell',
      when: ({ command }) => command !== 'npm test',
      do: 'ask',
      once: true,
      reason: 'The agent wants to run something else than the tests.',
    },
    ...['write_file', 'edit_file'].map((tool) => ({
      tool,
      when: ({ path }: { path?: unknown }) => String(path).endsWith('.test.js'),
      do: 'deny' as const,
      reason: 'Tests stay as they are. Change the code.',
    })),
  ],
})
