import type { SqlDriver } from '../drivers/driver.ts'

/** Atomic, so that concurrent first requests get the same secret. Durable before the answer leaves the object. */
export const ensureSecret = (driver: SqlDriver, name: string, make: () => string): string =>
  driver.transaction(() => {
    const secret = make()
    driver.run('INSERT INTO secrets (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', name, secret)
    return driver.get<{ secret: string }>('SELECT secret FROM secrets WHERE name = ?', name)?.secret ?? secret
  })
