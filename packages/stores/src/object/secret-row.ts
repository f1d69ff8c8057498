// A secret that an object makes once and keeps for good.
import type { SqlDriver } from '../drivers/driver.ts'

/** A single transaction, so that two first requests get the same secret. Durable before the answer leaves the object. */
export const ensureSecret = (driver: SqlDriver, name: string, make: () => string): string =>
  driver.transaction(() => {
    const secret = make()
    driver.run('INSERT INTO secrets (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', name, secret)
    return driver.get<{ secret: string }>('SELECT secret FROM secrets WHERE name = ?', name)?.secret ?? secret
  })
