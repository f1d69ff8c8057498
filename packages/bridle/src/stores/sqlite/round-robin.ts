// The store's background: commit what is queued, settle the tail, sweep removed sessions. One step at a time and in
// turns, so that a steady stream of appends cannot starve the others, and the event loop breathes in between.
export interface MaintenanceStep {
  pending(): boolean
  run(): void
}

/** Returns the call that says "there may be something to do". */
export const roundRobin = (schedule: (work: () => void) => void, steps: readonly MaintenanceStep[]): (() => void) => {
  let scheduled = false
  let turn = 0

  const wake = (): void => {
    if (scheduled || !steps.some((step) => step.pending())) return
    scheduled = true
    schedule(work)
  }

  const work = (): void => {
    scheduled = false
    for (let tried = 0; tried < steps.length; tried++) {
      const step = steps[turn++ % steps.length]!
      if (!step.pending()) continue
      step.run()
      break
    }
    wake()
  }

  return wake
}
