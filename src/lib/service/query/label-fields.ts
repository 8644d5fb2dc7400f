import {labelFieldName, type Literal, type Operator} from '#lib/api/query/query.js'
import {readDate} from '#lib/service/records/parts.js'
import {comparison} from './fields.js'
import type {Bind, SqlField} from './sql.js'

/**
 * Labels in queries (reference: protocols.md, section 5): `'labels/ID' in labels` for a label, and
 * `labels/ID.FIELD = 'x'` or `'x' in labels/ID.FIELD` for the values of one of its fields. A field
 * with several values is found when one of them fits.
 */
export const labelsField: SqlField = {
  in(value, bind) {
    const id = typeof value === 'string' ? /^labels\/(.+)$/u.exec(value)?.[1] : undefined
    return id === undefined
      ? undefined
      : `EXISTS (SELECT 1 FROM file_labels l WHERE l.file_id = f.id AND l.label_id = ${bind(id)})`
  },
}

/** The field behind a name such as `labels/ID.FIELD`; `undefined` for another name. */
export function labelField(name: string): SqlField | undefined {
  const names = labelFieldName(name)
  if (!names) return undefined
  const {labelId, fieldId} = names
  const some = (value: Literal, bind: Bind, operator: Operator): string | undefined => {
    const condition = valueCondition(value, operator, bind)
    return (
      condition &&
      `EXISTS (
        SELECT 1 FROM file_labels l, json_each(l.fields) e, json_each(e.value, '$.values') v
        WHERE l.file_id = f.id AND l.label_id = ${bind(labelId)} AND e.key = ${bind(fieldId)}
          AND ${condition})`
    )
  }
  return {
    compare(operator, value, bind) {
      if (operator !== '!=') return some(value, bind, operator)
      const equal = some(value, bind, '=')
      return equal && `NOT ${equal}`
    },
    in: (value, bind) => some(value, bind, '='),
  }
}

/** Numbers compare with whole numbers, dates with dates, and texts are equal or not. */
function valueCondition(value: Literal, operator: Operator, bind: Bind): string | undefined {
  const type = "json_extract(e.value, '$.valueType')"
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) return undefined
    const condition = comparison('CAST(v.value AS INTEGER)', operator, value, bind)
    return condition && `${type} = 'integer' AND ${condition}`
  }
  if (typeof value !== 'string') return undefined
  if (operator === '=') return `${type} <> 'integer' AND v.value = ${bind(value)}`
  const condition =
    readDate(value) === undefined ? undefined : comparison('v.value', operator, value, bind)
  return condition && `${type} = 'dateString' AND ${condition}`
}
