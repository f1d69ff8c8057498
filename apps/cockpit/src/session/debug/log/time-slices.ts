/** Work on entries stops after this time and goes on behind a frame: half of one, so that scrolling stays smooth. */
const SLICE_MS = 8

/** Does work in slices between which the page gets its turn. `work` returns true when it is done. Returns the function that ends it. */
export const inSlices = (
  work: (isOver: () => boolean) => boolean,
  onSlice: (isDone: boolean) => void,
): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const slice = (): void => {
    const until = performance.now() + SLICE_MS
    const isDone = work(() => performance.now() >= until)
    timer = isDone ? undefined : setTimeout(slice)
    onSlice(isDone)
  }
  timer = setTimeout(slice)
  return () => clearTimeout(timer)
}
