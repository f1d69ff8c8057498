// A process's way to the remote runner, over a network that cuts connections, repeats and loses messages; an abort may not arrive.

import type { RunEnd, Runner } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import type { SimulationContext } from './ground.ts'
import type { SimulatedProcess } from './process.ts'
import type { RemoteRun, SimulatedRemoteRunner } from './remote.ts'

export const remoteRunner = (
  ground: SimulationContext,
  process: SimulatedProcess,
  remote: SimulatedRemoteRunner,
): Runner => {
  const { prng } = ground
  const latencyMs = () => prng.int(0, 8)
  const ask = <T>(act: () => T): Promise<T> =>
    process.outside(async () => {
      const done = act()
      if (prng.chance(ground.faults.lostReply)) throw new Error('The reply was lost.')
      return done
    }, latencyMs)

  const stream = async (run: RemoteRun, reporter: RunReporter, from: number): Promise<RunEnd> => {
    for (let next = from; ; ) {
      if (reporter.closed) return 'done'
      if (run.forgotten) return 'cut'
      const frame = run.frames[next]
      if (!frame) {
        // Aborted: no more frames follow.
        if (run.isOver) return 'done'
        await run.change()
        continue
      }
      await new Promise<void>((resolve) => process.later(latencyMs(), resolve))
      if (prng.chance(ground.faults.cut)) return 'cut'
      if ('token' in frame) await reporter.token(frame.token, next)
      else {
        await reporter.report(frame.items, next)
        if (frame.last) return 'done'
      }
      if (next === 0 && !(await heard(() => remote.work(run)))) return 'cut'
      next = prng.chance(ground.faults.duplicate) ? Math.max(1, next - prng.int(0, 2)) : next + 1
    }
  }
  const heard = (act: () => void): Promise<boolean> =>
    ask(act).then(
      () => true,
      () => false,
    )

  return {
    start: async (job, reporter) => {
      const begun = await ask(() => ({ run: remote.begin(job) })).catch(() => null)
      if (!begun) return 'cut'
      return begun.run ? stream(begun.run, reporter, 0) : 'lost'
    },
    attach: async (job, reporter) => {
      const found = await ask(() => {
        const run = remote.find(job)
        if (run && job.frame >= 0) remote.work(run)
        return { run }
      }).catch(() => null)
      if (!found) return 'cut'
      return found.run ? stream(found.run, reporter, job.frame + 1) : 'lost'
    },
    abort: (job) =>
      ask(() => {
        if (prng.chance(ground.faults.failAbort)) throw new Error('The runner could not stop it.')
        if (prng.chance(ground.faults.ignoreAbort)) return false
        remote.abort(job)
        return true
      }).then((confirmed) => (confirmed ? null : new Promise<never>(() => {}))),
    answer: async (job, answer) => {
      const known = await ask(() => {
        const run = remote.find(job)
        if (run) remote.receiveAnswer(run, answer)
        return run !== null
      })
      if (!known) throw new Error('The run is not here.')
    },
    steer: async (job, message) => {
      const known = await ask(() => {
        const run = remote.find(job)
        if (run) remote.steer(run, message)
        return run !== null
      })
      if (!known) throw new Error('The run is not here.')
    },
  }
}
