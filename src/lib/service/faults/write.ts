import type {FaultPlan, FaultRule} from './plan.js'

/** Returns a plan as the JSON document that `readFaultPlan` reads. */
export function faultPlanText({seed, rules}: FaultPlan): string {
  return JSON.stringify({seed, rules: rules.map(ruleDocument)}, undefined, 2)
}

function ruleDocument({operations, via, when, fault}: FaultRule): object {
  const {kind, ...fields} = fault
  const {kind: schedule, ...calls} = when
  return {
    // It always applies to token refreshes.
    ...(kind !== 'refresh-lost' && {operations}),
    ...(via !== undefined && {via}),
    fault: kind,
    ...fields,
    ...(schedule !== 'always' && calls),
  }
}
