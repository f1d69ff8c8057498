export const withTimeout = async <T>(ms: number, work: Promise<T>): Promise<T | 'late'> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
