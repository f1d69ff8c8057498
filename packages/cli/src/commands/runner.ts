import { resolve } from 'node:path'
import { providers } from '@bridle/runners/credentials/providers'
import { defineCommand, outputOptions, usageError } from '../command/command.ts'
import { flagsOf } from '../command/setting-flags.ts'
import { checkedPort } from '../config/settings.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'

const keyNames = Object.values(providers).map(({ keyName }) => keyName)

export const runner = defineCommand({
  options: {
    port: { ...flagsOf('port').port, help: 'port to listen on; 0 picks a free one; default: PORT, else 4318' },
    ...flagsOf('host', 'BRIDLE_RUNNER_WORK', 'BRIDLE_RUNNER_STATE', 'BRIDLE_RUNNER_APPROVALS'),
    ...outputOptions,
  },
  notes: `A token in BRIDLE_RUNNER_TOKEN is asked of every caller; with BRIDLE_RUNNER_TOKEN_FROM=stdin it is read from there. Keys are taken from ${keyNames.join(' and ')}, or
from PUT /env; engines never see them. With BRIDLE_RUNNER_IDLE_MS it ends when it had nothing to do for so long.`,
  run: async ({ flags, env, out }) => {
    const port = checkedPort(flags.port ?? env.PORT ?? '4318')
    const interrupted = listenForInterrupt()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { createEngines, runnerSettings, SandboxRunner } = await import('@bridle/runners/index')
    const settings = settingsOf(() =>
      runnerSettings({ ...env, ...(flags.approvals && { BRIDLE_RUNNER_APPROVALS: flags.approvals }) }),
    )
    const { workFolderFiles } = await import('@bridle/server/node/workspaces/work-folder-files')
    const workFolder = flags.work ? resolve(flags.work) : settings.workFolder
    const running = await SandboxRunner.start({
      ...settings,
      engines: createEngines(env),
      workFolder,
      // A server on the same machine reads the folder itself.
      ...(!settings.socketPath && { workFiles: workFolderFiles(workFolder) }),
      ...(flags.state && { stateFolder: resolve(flags.state) }),
      ...(!settings.socketPath && { port: Number(port), host: flags.host ?? '127.0.0.1' }),
      onIdle: end,
    })
    if (out.isJson) out.row({ url: running.url })
    else out.line(`The runner is ready at ${running.url}\n\n  curl -N ${running.url}/query -d '{"prompt":"Hello"}'`)
    await Promise.race([interrupted.interrupted, ended])
    await running.close()
  },
})

const settingsOf = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}
