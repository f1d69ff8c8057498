// Loads that overlap: an answer is shown unless a newer one is. A slow server still brings something while newer loads begin all the time.

export const newestLoad = <T>(): ((load: Promise<T>, show: (result: PromiseSettledResult<T>) => void) => void) => {
  let started = 0
  let shown = 0
  return (load, show) => {
    started += 1
    const own = started
    void Promise.allSettled([load]).then(([result]) => {
      if (own < shown) return
      shown = own
      show(result)
    })
  }
}
