import { JsonCode } from '../ui/code.tsx'
import { bodyFields } from './body-example.ts'
import type { Schema } from './route.ts'

/** The fields that a body may have, and the schema itself, behind a toggle. */
export const BodyFields = ({ schema }: { readonly schema: Schema }) => {
  const fields = bodyFields(schema)
  return (
    <details>
      <summary className="small t2">Fields of the body</summary>
      {fields.length > 0 && (
        <table className="tbl dense body-fields">
          <tbody>
            {fields.map(({ name, type, isRequired, description }) => (
              <tr key={name}>
                <td className="mono">{name}</td>
                <td className="t2">
                  {type}
                  {isRequired && ', required'}
                </td>
                <td className="t3">{description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <JsonCode value={schema} label="JSON Schema" />
    </details>
  )
}
