"""Every public name of the module has a test that compares what it gives with something worked out elsewhere: numpy, a formula, other bits.

The table says which. A name that is not in it fails here, and so does a test that is not there, does not use the name or asserts nothing.
"""

import ast
import glob
import inspect
import os

import pytest

import catena
import catena.gym

HERE = os.path.dirname(os.path.abspath(__file__))

TESTED = {
    "simulation_test.test_bodies_that_rest_sleep_where_that_is_asked_for": "StepReport.asleep",
    "quantities_test.test_a_model_holds_what_it_was_built_of":
        "Model.name Model.bodies Model.joints Model.sites Model.sensors Model.controls Model.control_range Model.keyframes Model.masses "
        "Model.inertias Model.origins Model.gravity Model.hash ModelBuilder.actuator ModelBuilder.build ModelBuilder.set",
    "quantities_test.test_the_reaction_of_a_pivot_is_newtons_second_law": "JointHandle.reaction JointHandle.tau Simulation.tau Simulation.joint",
    "quantities_test.test_bodies_move_as_their_joint_says":
        "BodyHandle.position BodyHandle.velocity BodyHandle.orientation BodyHandle.angular_velocity BodyHandle.mass BodyHandle.name "
        "Bodies.position Bodies.velocity Bodies.orientation Bodies.angular_velocity Bodies.names Simulation.body Simulation.bodies",
    "quantities_test.test_joints_know_their_place":
        "JointHandle.name JointHandle.kind JointHandle.bodies JointHandle.anchors JointHandle.frames JointHandle.q JointHandle.v "
        "Simulation.coordinates_of Simulation.rate_names Simulation.nq Simulation.nv Simulation.nu Simulation.size",
    "quantities_test.test_forces_on_a_body_are_newtons_and_eulers":
        "BodyHandle.set_force BodyHandle.add_force_at Simulation.clear_forces Simulation.accelerations_and_multipliers",
    "quantities_test.test_a_builder_of_joints_is_a_scene": "ModelBuilder ModelBuilder.joint",
    "quantities_test.test_a_body_led_by_hand_goes_there_at_constant_speed": "BodyHandle.set_mocap",
    "quantities_test.test_builders_know_springs_forces_materials_and_settings":
        "ModelBuilder.force ModelBuilder.spring ModelBuilder.material ModelBuilder.body ModelBuilder.ground ModelBuilder.text "
        "StepReport.contacts StepReport.penetration StepReport.complementarity StepReport.energy Simulation.settings",
    "quantities_test.test_reports_say_what_the_steps_did":
        "StepReport.impacts StepReport.ok StepReport.status StepReport.message StepReport.time StepReport.halvings StepReport.swept "
        "StepReport.sweeps StepReport.monitored StepReport.fallbacks Simulation.steps Simulation.time",
    "quantities_test.test_drift_is_the_gap_of_the_joints": "StepReport.drift StepReport.drift_angle StepReport.residual Simulation.drift",
    "quantities_test.test_rows_are_the_numbers_of_the_state": "Simulation.row Simulation.columns Simulation.energy",
    "quantities_test.test_advancing_to_a_time_ends_there": "Simulation.advance_to",
    "quantities_test.test_functions_on_step_are_called_before_every_step": "Simulation.on_step",
    "quantities_test.test_errors_name_file_line_and_column": "load InputError",
    "quantities_test.test_scenes_keep_their_text_and_where_it_came_from":
        "Scene Scene.model Scene.settings Scene.warnings Scene.ledger Scene.text Scene.source",
    "quantities_test.test_a_state_knows_its_time_model_and_settings":
        "State.time State.model_hash State.settings State.copy Simulation.state Simulation.model",
    "quantities_test.test_a_failing_run_says_who_failed": "ProblemError STATUS",
    "quantities_test.test_the_program_is_found_and_run": "program.find program.run",
    "simulation_test.test_views_are_views_and_steps_bring_them_up_to_date": "Simulation.q",
    "simulation_test.test_motion_is_that_of_the_equations_integrated_by_numpy": "Simulation.step Simulation.v",
    "simulation_test.test_sensors_and_inputs_of_a_robot_are_read_and_set_by_name_and_place": "Simulation.sensor Simulation.ctrl",
    "simulation_test.test_run_records_and_a_controller_controls": "Simulation.run",
    "simulation_test.test_settings_and_warnings_are_those_that_run": "Simulation.integrator Simulation.warnings Simulation.scene",
    "state_test.test_states_copy_compare_pickle_and_restore_to_the_bit":
        "State State.to_bytes State.from_bytes State.save State.load Simulation.save Simulation.load",
    "state_test.test_models_scenes_settings_and_recordings_pickle": "Settings Settings.copy",
    "dynamics_test.test_mass_matrix_is_that_of_the_textbook": "Simulation.mass_matrix",
    "dynamics_test.test_bias_is_that_of_the_textbook": "Simulation.bias",
    "dynamics_test.test_inverse_and_forward_dynamics_are_inverse": "Simulation.inverse_dynamics Simulation.forward_dynamics",
    "dynamics_test.test_jacobian_moves_points_as_differences_do": "Simulation.jacobian Simulation.set_coordinates",
    "dynamics_test.test_compliance_is_J_Minv_Jt": "Simulation.compliance",
    "dynamics_test.test_centroidal_quantities_by_summing_over_the_bodies": "Simulation.centroidal",
    "dynamics_test.test_the_rows_of_a_loop_are_those_of_its_geometry": "Simulation.constraint_jacobian",
    "dynamics_test.test_linearise_gives_the_frequency_of_a_pendulum": "linearise Simulation.linearise",
    "dynamics_test.test_equilibrium_is_where_the_potential_is_least": "equilibrium Simulation.equilibrium",
    "dynamics_test.test_drag_takes_a_point_where_geometry_lets_it": "Simulation.drag",
    "dynamics_test.test_inverse_kinematics_reaches_what_can_be_reached": "inverse_kinematics Simulation.inverse_kinematics",
    "dynamics_test.test_sites_are_frames_with_jacobians":
        "SiteHandle.position SiteHandle.velocity SiteHandle.orientation SiteHandle.body SiteHandle.name Simulation.site",
    "dynamics_test.test_linear_models_know_actuators": "Simulation.modes",
    "dynamics_test.test_passive_forces_are_springs_dampers_and_what_drives": "Simulation.passive_forces",
    "dynamics_test.test_integrate_turns_quaternions_as_exponentials_do": "Simulation.integrate",
    "dynamics_test.test_solve_is_right_about_a_small_lcp_and_a_friction_problem": "solve",
    "dynamics_test.test_contacts_carry_the_weight": "Simulation.contacts",
    "control_test.test_pd_and_pid_hold_their_targets": "PD PID",
    "control_test.test_the_integral_is_forgotten": "PID.reset",
    "control_test.test_computed_torque_leaves_a_linear_error": "ComputedTorque",
    "recording_test.test_columns_are_arrays_and_a_data_frame": "Recording.time Recording.ok Recording.to_pandas",
    "recording_test.test_files_hold_what_was_recorded": "Recording.save Recording.load",
    "recording_test.test_films_are_made": "Recording",
    "recording_test.test_plots_have_names_and_units": "Recording.plot",
    "recording_test.test_the_live_page_is_served": "view Viewer Viewer.close",
    "ensemble_test.test_members_fall_as_their_formula_says": "ensemble",
    "batch_test.test_views_are_views_with_a_row_a_world":
        "Batch.q Batch.v Batch.tau Batch.status Batch.ctrl Batch.time Batch.residual Batch.nq Batch.nv Batch.nu Batch.nstate Batch.threads",
    "batch_test.test_worlds_move_as_simulations_and_the_equations_say": "Batch Batch.step",
    "batch_test.test_a_rollout_has_the_shapes_of_mujocos_and_the_numbers_of_steps": "Batch.rollout",
    "batch_test.test_lanes_are_reported_and_change_nothing": "Batch.lanes Batch.use_lanes",
    "batch_test.test_a_world_that_fails_is_a_row_with_a_status": "Batch.message Batch.reset",
    "batch_test.test_parameters_of_a_world_are_those_of_its_formula": "Batch.parameter Batch.set_parameter Batch.parameters Batch.energy",
    "batch_test.test_states_are_copied_in_and_out": "Batch.state",
    "batch_test.test_rows_of_worlds_in_contact_are_those_of_a_simulation": "Batch.contacts Batch.drift Batch.settings Batch.bytes_per_world",
    "batch_test.test_sensors_of_the_worlds_read_what_newton_says": "Batch.sensors Batch.sensor Batch.nsensor",
    "gym_test.test_rewards_and_endings_are_those_of_their_formulas":
        "gym.Env.reward gym.Env.terminated gym.Env.observe gym.Env.apply gym.Env.info gym.VectorEnv.reward gym.VectorEnv.terminated "
        "gym.VectorEnv.observe gym.VectorEnv.info gym.Task.reward gym.Task.terminated",
    "gym_test.test_environments_follow_the_protocol": "gym.Env.reset gym.Env.step gym.Env.close",
    "gym_test.test_scenes_of_the_tasks_are_what_they_say": "gym.cart_pole_scene gym.four_bar_scene gym.on_a_floor gym.Env.render",
    "batch_test.test_a_vector_environment_is_its_environments": "gym.VectorEnv.reset gym.VectorEnv.step gym.VectorEnv.close",
}

# Types that only hold what their own members say.
HOLDERS = {"BodyHandle", "JointHandle", "SiteHandle", "Model", "Simulation", "StepReport"}


def members(kind, name):
    for each in dir(kind):
        if each.startswith("_") or hasattr(object, each) or (issubclass(kind, dict) and hasattr(dict, each) and each not in vars(kind)):
            continue
        if issubclass(kind, BaseException):
            continue
        if callable(getattr(kind, each)) or isinstance(inspect.getattr_static(kind, each), (property, type(catena.StepReport.ok))):
            yield f"{name}.{each}"


def public():
    """Names of the module, of what is in it, and of its two modules."""
    names = set()
    for name in catena.__all__:
        thing = getattr(catena, name)
        if name not in HOLDERS:
            names.add(name)
        if inspect.isclass(thing):
            names.update(members(thing, name))
    names.update(members(catena.Simulation._Bodies, "Bodies"))
    names.update(f"program.{name}" for name, thing in vars(catena.program).items() if inspect.isfunction(thing))
    for name, thing in vars(catena.gym).items():
        if name.startswith("_") or getattr(thing, "__module__", "") != "catena.gym":
            continue
        if inspect.isfunction(thing):
            names.add(f"gym.{name}")
        elif name in ("Env", "VectorEnv", "Task"):
            names.update(each for each in members(thing, f"gym.{name}") if each.rsplit(".", 1)[1] in vars(thing))
    return names


def functions():
    """{"file.test": its syntax tree}."""
    out = {}
    for file in glob.glob(os.path.join(HERE, "*_test.py")):
        with open(file, encoding="utf-8") as text:
            for node in ast.parse(text.read()).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    out[f"{os.path.basename(file)[:-3]}.{node.name}"] = node
    return out


def test_every_public_name_is_in_the_table():
    listed = [name for names in TESTED.values() for name in names.split()]
    assert len(listed) == len(set(listed)), "a name is there twice"
    assert sorted(public() - set(listed)) == [], "public and without a test"
    assert sorted(set(listed) - public()) == [], "not public"


@pytest.mark.parametrize("test", TESTED)
def test_the_tests_of_the_table_use_the_names_and_compare(test):
    node = functions()[test]
    used = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)} | {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    used |= {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    assert [name for name in TESTED[test].split() if name.rsplit(".", 1)[-1] not in used] == []
    raises = [each for each in ast.walk(node) if isinstance(each, ast.With) and "raises" in ast.dump(each.items[0])]
    assert raises or any(isinstance(each, ast.Assert) for each in ast.walk(node))
