// A hostile engine: a real shell inside the walls that runs its prompt as a command. As a program it is a whole runner,
// which `LocalSandboxes` starts in place of the real one.
import { fileURLToPath } from 'node:url'
import { runnerSettings } from '../server/runner-settings.ts'
import { SandboxRunner } from '../server/sandbox-runner.ts'
import { claudeInfo } from './claude/description.ts'
import type { Engine } from './engine.ts'

const file = fileURLToPath(import.meta.url)
export const shellRunner = (): string[] => [process.execPath, '--conditions=bridle-source', file]

export const shellEngine = (): Engine => ({
  name: 'shell',
  provider: 'anthropic',
  info: { ...claudeInfo('1.0.0'), name: 'shell' },
  needs: async () => null,
  open: async ({ launcher, workFolder, stateFolder }) => {
    const { start, baseUrl } = await launcher()
    const children = new Set<ReturnType<typeof start>>()
    return {
      resume: null,
      sessionId: null,
      alive: false,
      play: async (prompt, turn) => {
        const env = { PATH: process.env.PATH, HOME: stateFolder, ANTHROPIC_BASE_URL: baseUrl }
        const child = start({ file: '/bin/sh', args: ['-c', prompt], cwd: workFolder, env })
        children.add(child)
        for (const output of [child.stdout, child.stderr])
          output.setEncoding('utf8').on('data', (text: string) => turn.report({ type: 'assistant.delta', text }))
        child.stdin.end()
        const code = await new Promise((resolve) => child.once('close', resolve).once('error', resolve))
        return { kind: 'completed', result: String(code) }
      },
      interrupt: async () => {
        for (const child of children) child.kill('SIGKILL')
      },
      steer: async () => {},
      close: async () => {
        for (const child of children) child.kill('SIGKILL')
      },
    }
  },
})

if (process.argv[1] === file) {
  const runner = await SandboxRunner.start({
    ...runnerSettings(process.env),
    engines: [shellEngine()],
    onIdle: () => process.exit(0),
  })
  console.log(JSON.stringify({ url: runner.url }))
}
